/** Finds environment variables with the prefix of svc that svc does not have. Without this warning, a typing error would be ignored silently. */

import { orDidYouMean } from '#base';
import type { Environment } from '#server';
import { serveOptions } from './serve-flags.ts';

const others = [
  'SVC_DATABASE_URL',
  'SVC_ENV',
  'SVC_ACCESS_TOKEN',
  'SVC_ACCESS_TOKEN_FILE',
  'SVC_CA_FILE',
  'SVC_SHUTDOWN_DRAIN_MS',
  'SVC_CLOSE_TIMEOUT_MS',
];

/** Variables of the tests. */
const ofTests = /^SVC_TEST_/;

/** Names of service links, which a cluster sets in each container for a service named `svc` or `svc-…`. */
const linkName =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** Values of service links, which have a scheme. `SVC_PORT` with another value may be an error. */
const linkValue = /^(?:tcp|udp|sctp):\/\//;

function isServiceLink(name: string, value: string | undefined): boolean {
  return linkName.test(name) || (name.endsWith('_PORT') && linkValue.test(value ?? ''));
}

/** Returns a message for each unknown variable, ordered by name. */
export function unknownVariables(env: Environment): readonly string[] {
  const known = [
    ...others,
    ...serveOptions.map(
      ({ long = '' }) => `SVC_${long.slice(2).replaceAll('-', '_').toUpperCase()}`,
    ),
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && env[name] !== '')
    .filter((name) => !known.includes(name) && !ofTests.test(name))
    .filter((name) => !isServiceLink(name, env[name]))
    .sort()
    .map((name) => `there is no variable ${name}${orDidYouMean(name, known)}`);
}
