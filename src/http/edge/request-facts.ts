/** What the admission is told of a request. */

import { OpenPrincipal } from '#catalog';
import type { RequestFacts, Ticket } from '#engine';
import type { HttpContext } from '../context.ts';
import { malformed } from './malformed.ts';

/** Looked at before the body is read: the time of a request begins with its headers. */
export function requestFacts(
  { transport, clock }: HttpContext,
  request: Request,
  arrivedMs = clock.monotonicMs(),
): RequestFacts {
  return {
    arrivedMs,
    deadlineMs: deadlineOf(request.headers),
    signal: () => request.signal,
    principal: new OpenPrincipal(() => transport.address(request) ?? ''),
  };
}

/** What the parsed document takes, for each character of the text; and what is planned from it. */
const documentBytesPerCharacter = 10;
const planBytesPerCharacter = 8;

/** Called with what is held of a body before it is made. */
export function holdText(ticket: Ticket, text: string): void {
  ticket.holdBody(text.length);
}

export function holdDocument(ticket: Ticket, text: string): void {
  ticket.holdBody(text.length * (1 + documentBytesPerCharacter + planBytesPerCharacter));
}

/** For short answers: nothing of the request is held any more when `work` is over. */
export async function withTicket<T>(
  context: HttpContext,
  facts: RequestFacts,
  work: (ticket: Ticket) => Promise<T>,
): Promise<T> {
  const ticket = context.engine().ticket(facts);
  try {
    return await work(ticket);
  } finally {
    ticket.close();
  }
}

const deadlineMaxMs = 2 ** 31 - 1;

/** Milliseconds that the client gives the request; undefined without the header. */
function deadlineOf(headers: Headers): number | undefined {
  const value = headers.get('svc-deadline-ms');
  if (value === null) return undefined;
  const ms = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (ms >= 1 && ms <= deadlineMaxMs) return ms;
  throw malformed(
    '/header/svc-deadline-ms',
    `malformed Svc-Deadline-Ms header: expected whole milliseconds from 1 to ${deadlineMaxMs}`,
  );
}
