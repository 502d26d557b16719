/** Applies the rules of exposure to all listeners of a server. */

import { credentialKinds } from '../authentication/options.ts';
import type { ServeConfiguration } from '../configuration.ts';
import { exposureOf } from './exposure.ts';

/**
 * Returns whether other machines can reach a server without credentials. Throws a `RefusedConfiguration` if one of its
 * listeners must not start. Called before any listener is opened.
 */
export function isReachable(configuration: ServeConfiguration): boolean {
  const { relay, authentication, tls } = configuration;
  if (relay?.listen !== undefined) {
    const { listen: address, tls: own } = relay;
    // The token of the relay is its key.
    const auth = ['keys'] as const;
    const internal = { ...configuration, address, auth, hasTls: own !== undefined };
    exposureOf(internal, { addr: '--internal-addr', tls: '--internal-tls' });
  }
  return (
    exposureOf({
      ...configuration,
      auth: credentialKinds(authentication),
      hasTls: tls !== undefined,
    }) === 'exposed'
  );
}
