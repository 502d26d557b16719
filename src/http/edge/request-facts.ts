/** Collects the data of a request that admission needs. */

import type { RequestContext, RequestFacts } from '#engine';
import type { HttpContext } from '../context.ts';
import { malformed } from './malformed.ts';

/** Returns the facts of a request. Called before the body is read, because the deadline starts with the headers. */
export function requestFacts(
  { authority, clock }: HttpContext,
  request: Request,
  arrivedMs = clock.monotonicMs(),
): RequestFacts {
  return {
    arrivedMs,
    deadlineMs: deadlineOf(request.headers),
    signal: () => request.signal,
    principal: authority.principalOf(request),
  };
}

/** Bytes of a parsed document, and of the plan made from it, for each character of the text. */
const documentBytesPerCharacter = 10;
const planBytesPerCharacter = 8;

/** Reserves memory for the text of a body. Called before the memory is used, as `holdDocument` is. */
export function holdText(requestContext: RequestContext, text: string): void {
  requestContext.reserveForBody(text.length);
}

export function holdDocument(requestContext: RequestContext, text: string): void {
  requestContext.reserveForBody(
    text.length * (1 + documentBytesPerCharacter + planBytesPerCharacter),
  );
}

/**
 * Runs work with a request context and closes the context after it. For short responses, which need no memory of the
 * request after `work` ends.
 */
export async function withTicket<T>(
  context: HttpContext,
  facts: RequestFacts,
  work: (requestContext: RequestContext) => Promise<T>,
): Promise<T> {
  const requestContext = context.engine().requestContext(facts);
  try {
    return await work(requestContext);
  } finally {
    requestContext.close();
  }
}

const deadlineMaxMs = 2 ** 31 - 1;

/** Returns the deadline in milliseconds that the client sets, or `undefined` without the header. */
function deadlineOf(headers: Headers): number | undefined {
  const value = headers.get('svc-deadline-ms');
  if (value === null) return undefined;
  const ms = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (ms >= 1 && ms <= deadlineMaxMs) return ms;
  throw malformed(
    '/header/svc-deadline-ms',
    `malformed Svc-Deadline-Ms header: expected milliseconds as an integer from 1 to ${deadlineMaxMs}`,
  );
}
