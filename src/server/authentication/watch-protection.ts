/** Watches an open database for its first API key and its first row policies, which a server without `--auth` does not apply. */

import type { Engine } from '#engine';
import type { ServeConfiguration } from '../configuration.ts';
import type { ServerLifecycle } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { protectionOf } from './admission.ts';
import { credentialKinds } from './options.ts';

interface WatchParts {
  readonly configuration: Pick<ServeConfiguration, 'authentication' | 'role'>;
  readonly lifecycle: Pick<ServerLifecycle, 'requireAuthentication'>;
  readonly log: Pick<Log, 'write'>;
}

const refusalFor = (what: string) =>
  `this reader was started without --auth, and the database has ${what} now; send the request to the writer, or restart the reader with the --auth of the writer`;
const requiredFor = (what: string) =>
  `the database has ${what} now, and this reader was started without --auth: it refuses all requests except probes; restart it with the --auth of the writer, or with --auth none if every client may read all data`;
const ignoredFor = (what: string) =>
  `the database has ${what} now, but this server was started without --auth: every client may still read and change all data; restart it with --auth keys, or with --auth none`;

const ignoredEvents = {
  'API keys': 'auth.keys_ignored',
  'row policies': 'auth.policies_ignored',
} as const;

/**
 * A reader refuses all requests from the state with the first key or policies on. The writer has created them for a client without
 * authentication, which may change them: it only logs a warning. `--auth none` permits both.
 */
export function watchProtection(
  engine: Pick<Engine, 'keys' | 'catalog' | 'watch'>,
  { configuration, lifecycle, log }: WatchParts,
): void {
  const { authentication, role } = configuration;
  if (authentication.isSet || credentialKinds(authentication).length > 0) return;
  const found = new Set<string>();
  const look = () => {
    const what = protectionOf(engine);
    if (what === undefined || found.has(what) || (role === 'read' && found.size > 0)) return;
    found.add(what);
    if (role === 'write') {
      log.write('warn', ignoredEvents[what], { message: ignoredFor(what) });
      return;
    }
    lifecycle.requireAuthentication(refusalFor(what));
    log.write('error', 'auth.required', { message: requiredFor(what) });
  };
  engine.watch(look);
  look();
}
