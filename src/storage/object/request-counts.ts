/**
 * Numbers of requests to a store, by class of request. The numbers are plain data, so another
 * thread can send them.
 */

import { type Log2Counts, sumOfSpreads } from '#base';

export const requestClasses = [
  'read',
  'range_read',
  'metadata_read',
  'write',
  'delete',
  'list',
] as const;
export type RequestClass = (typeof requestClasses)[number];

export interface RequestCounts {
  readonly requests: number;
  /** Requests that threw, or whose outcome is unknown. */
  readonly errors: number;
  /** Bytes of objects that were read or written. */
  readonly bytes: number;
  /** Duration of all requests together, and of the longest one. */
  readonly milliseconds: number;
  readonly longestMs: number;
  /** Requests in progress now, and the highest number so far. */
  readonly active: number;
  readonly activeMax: number;
  /** Microseconds of ended requests, including failed ones. */
  readonly micros: Log2Counts;
  /** Bytes of the object of each successful request; empty for classes that transfer no object. */
  readonly sizes: Log2Counts;
}

type CountMember = Exclude<keyof RequestCounts, 'micros' | 'sizes'>;

export type ObjectStatistics = Readonly<Record<RequestClass, RequestCounts>>;

/** Sums the counts of several users of one storage location, consecutive or concurrent. */
export function sumOfRequests(all: readonly ObjectStatistics[]): ObjectStatistics {
  const sum = (kind: RequestClass): RequestCounts => {
    const counts = all.map((each) => each[kind]);
    const total = (member: CountMember) => counts.reduce((count, each) => count + each[member], 0);
    const highest = (member: CountMember) =>
      counts.reduce((count, each) => Math.max(count, each[member]), 0);
    return {
      requests: total('requests'),
      errors: total('errors'),
      bytes: total('bytes'),
      milliseconds: total('milliseconds'),
      longestMs: highest('longestMs'),
      active: total('active'),
      activeMax: highest('activeMax'),
      micros: sumOfSpreads(counts.map(({ micros }) => micros)),
      sizes: sumOfSpreads(counts.map(({ sizes }) => sizes)),
    };
  };
  return byClass(sum);
}

/** Returns the counts after the end of the thread: no request is in progress any more. */
export function endedRequests(counts: ObjectStatistics): ObjectStatistics {
  return byClass((kind) => ({ ...counts[kind], active: 0 }));
}

function byClass(countsOf: (kind: RequestClass) => RequestCounts): ObjectStatistics {
  return Object.fromEntries(
    requestClasses.map((kind) => [kind, countsOf(kind)]),
  ) as ObjectStatistics;
}
