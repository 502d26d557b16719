/** Discards the body of a refused request, so that the client can use the connection again. */

import type { Scheduler } from '#base';
import { smallBytesMax } from './incoming-bodies.ts';

/** Returns whether the request declares a body. */
export function hasBody({ headers }: Request): boolean {
  const length = headers.get('content-length');
  return headers.has('transfer-encoding') || (length !== null && length !== '0');
}

/**
 * Reads and discards a small body whose bytes arrive within this iteration of the event loop. Resolves to whether the body is complete. A client
 * without a token gets no more time, and no memory beyond that.
 */
export function discardArrived(request: Request, scheduler: Scheduler): Promise<boolean> {
  const { headers } = request;
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  const isSmall = length <= smallBytesMax && !headers.has('transfer-encoding');
  if (!isSmall || headers.has('expect')) return Promise.resolve(false);
  const arrived = request.bytes().then(
    () => true,
    () => false,
  );
  return Promise.race([arrived, scheduler.yield().then(() => false)]);
}
