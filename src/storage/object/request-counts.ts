/** How much was asked of a store, by class of request. Plain data, which another thread can tell. */

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
  /** Thrown, or of unknown outcome. */
  readonly errors: number;
  /** Of objects, read or written. */
  readonly bytes: number;
  /** Of all requests together, and of the longest. */
  readonly milliseconds: number;
  readonly longestMs: number;
  /** At this moment, and at most so far. */
  readonly active: number;
  readonly activeMax: number;
  /** Microseconds of requests that have ended, those that failed among them. */
  readonly micros: Log2Counts;
  /** Bytes of objects, of each request that ended well; of classes that move none, nothing. */
  readonly sizes: Log2Counts;
}

type CountMember = Exclude<keyof RequestCounts, 'micros' | 'sizes'>;

export type ObjectStatistics = Readonly<Record<RequestClass, RequestCounts>>;

/** What several have asked for: of one place one after the other, or at the same time. */
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

/** The same after its end: nothing is under way any more. */
export function endedRequests(counts: ObjectStatistics): ObjectStatistics {
  return byClass((kind) => ({ ...counts[kind], active: 0 }));
}

function byClass(countsOf: (kind: RequestClass) => RequestCounts): ObjectStatistics {
  return Object.fromEntries(
    requestClasses.map((kind) => [kind, countsOf(kind)]),
  ) as ObjectStatistics;
}
