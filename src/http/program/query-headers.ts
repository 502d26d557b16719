/** The headers of OPTIONS on `/execute` and of every response to QUERY, including 304 and problems (docs/http.md). */

import { queryType } from '#wire';
import { pathnameOf } from '../edge/parameters.ts';

export const queryHeaders: Readonly<Record<string, string>> = {
  'accept-query': `"${queryType}"`,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Authorization, Content-Encoding, Content-Type',
};

const none: Readonly<Record<string, string>> = {};

/** Returns the headers of a problem response to this request. */
export function headersOfProblem(request: Request): Readonly<Record<string, string>> {
  const isQuery = request.method === 'QUERY' && pathnameOf(request.url) === '/execute';
  return isQuery ? queryHeaders : none;
}
