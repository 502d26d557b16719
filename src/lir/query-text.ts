/** The text of a query that stands for it: the same for two texts of one document, whatever their white space. */

import type { Query } from './query.ts';

/** JSON, but for integers beyond 2^53, which are strings here. */
export function queryText(query: Query): string {
  return JSON.stringify(query, textOfBigint);
}

function textOfBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
