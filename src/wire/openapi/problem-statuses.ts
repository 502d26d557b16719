/** The statuses of problems, and which operations may answer them. */

import type { Operation } from './operation.ts';

interface ProblemStatus {
  readonly description: string;
  /** Which operations, in words. */
  readonly from: string;
  readonly isOf: (operation: Operation) => boolean;
}

const any = { from: 'everything', isOf: () => true };
const served = { from: 'everything but probes', isOf: (one: Operation) => !isProbe(one) };
const work = {
  from: 'everything but GET and OPTIONS',
  isOf: ({ method }: Operation) => method !== 'GET' && method !== 'OPTIONS',
};

export const problemStatuses: Readonly<Record<number, ProblemStatus>> = {
  400: { ...any, description: 'The request is malformed: its body, a parameter or a header.' },
  403: {
    ...any,
    description:
      'Not from here: another site or a foreign host asks, or a process that only reads is to write.',
  },
  408: { ...work, description: 'The request did not arrive in time.' },
  409: { ...work, description: 'A race was lost: the same request may win at once.' },
  413: { ...work, description: 'The body is larger than `--max-body-mib`.' },
  415: { ...work, description: 'The body has another media type, or an encoding.' },
  422: {
    ...work,
    description: 'The request is well formed, and wrong for the catalog or the rows.',
  },
  500: { ...served, description: 'The server failed; `incident` stands in its log as well.' },
  503: {
    ...served,
    description:
      'The database is not open yet, or there is too much to do; `Retry-After` says when to come back.',
  },
};

/** Answered in every state of the process, by their own little document. */
export function isProbe({ path }: Operation): boolean {
  return path === '/livez' || path === '/readyz' || path === '/startupz';
}
