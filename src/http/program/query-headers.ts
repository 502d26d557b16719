/** What OPTIONS on `/execute` and every answer to QUERY carry, 304 and problems included (docs/http.md). */

import { queryType } from '#wire';
import { pathnameOf } from '../edge/parameters.ts';

export const queryHeaders: Readonly<Record<string, string>> = {
  'accept-query': `"${queryType}"`,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Authorization, Content-Encoding, Content-Type',
};

const none: Readonly<Record<string, string>> = {};

/** The headers that a problem for this request carries. */
export function headersOfProblem(request: Request): Readonly<Record<string, string>> {
  const isQuery = request.method === 'QUERY' && pathnameOf(request.url) === '/execute';
  return isQuery ? queryHeaders : none;
}
