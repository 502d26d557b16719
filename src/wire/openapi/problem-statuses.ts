/** The statuses of problems, and the operations that may return them. */

import type { Operation } from './operation.ts';

interface ProblemStatus {
  readonly description: string;
  /** The operations, in words. */
  readonly from: string;
  readonly isOf: (operation: Operation) => boolean;
}

const any = { from: 'all', isOf: () => true };
const served = { from: 'all except probes', isOf: (one: Operation) => !isProbe(one) };
const work = {
  from: 'all except GET and OPTIONS',
  isOf: ({ method }: Operation) => method !== 'GET' && method !== 'OPTIONS',
};

export const problemStatuses: Readonly<Record<number, ProblemStatus>> = {
  400: { ...any, description: 'The request is malformed: its body, a parameter or a header.' },
  401: {
    ...served,
    description: 'The server requires an access token, and the request has no valid one.',
  },
  403: {
    ...any,
    description:
      'The request is forbidden: it comes from another site or names a foreign host, it writes to a read-only reader, or its access token does not permit it.',
  },
  408: { ...work, description: 'The request did not arrive in time.' },
  409: {
    ...work,
    description: 'A conflict: another commit came first. The same request may succeed immediately.',
  },
  413: { ...work, description: 'The body is larger than `--max-body-mib`.' },
  415: { ...work, description: 'The body has an unsupported media type, or a content encoding.' },
  422: {
    ...work,
    description: 'The request is well formed, but invalid for the catalog or the rows.',
  },
  429: {
    ...served,
    description:
      'The client has sent too many requests with invalid access tokens. `Retry-After` contains the time to wait.',
  },
  500: {
    ...served,
    description: 'The server failed. The log of the server contains the same `incident`.',
  },
  503: {
    ...served,
    description:
      'The database is not open yet, the server is overloaded or shuts down, or the snapshot of a reader has expired. `Retry-After` contains the time to wait.',
  },
};

/** Returns whether the operation is a probe, which returns its own small document in every state of the process. */
export function isProbe({ path }: Operation): boolean {
  return path === '/livez' || path === '/readyz' || path === '/startupz';
}
