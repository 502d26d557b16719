/** The text form of a query: equal for two texts of one document that differ only in white space. */

import type { Query } from './query.ts';

/** Returns the query as JSON, in which integers beyond 2^53 are strings. */
export function queryText(query: Query): string {
  return JSON.stringify(query, textOfBigint);
}

function textOfBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
