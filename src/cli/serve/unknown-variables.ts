/** Variables of the process that look like ours and are none: a slip of the finger would be ignored in silence. */

import { orDidYouMean } from '#base';
import type { Environment } from '#server';
import { serveOptions } from './serve-flags.ts';

const others = [
  'SVC_DATABASE_URL',
  'SVC_ENV',
  'SVC_ACCESS_TOKEN_FILE',
  'SVC_SHUTDOWN_DRAIN_MS',
  'SVC_CLOSE_TIMEOUT_MS',
];

/** Of tests, and those that Kubernetes sets in every container beside a service called `svc`. */
const foreign = /^SVC_(?:TEST_|SERVICE_|PORT(?:_|$))/;

/** A sentence for each, in the order of their names. */
export function unknownVariables(env: Environment): readonly string[] {
  const known = [
    ...others,
    ...serveOptions.map(
      ({ long = '' }) => `SVC_${long.slice(2).replaceAll('-', '_').toUpperCase()}`,
    ),
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && env[name] !== '')
    .filter((name) => !known.includes(name) && !foreign.test(name))
    .sort()
    .map((name) => `there is no variable ${name}${orDidYouMean(name, known)}`);
}
