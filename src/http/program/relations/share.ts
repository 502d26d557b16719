/** One request and the answers that are shared: whether there is one for it, and what becomes of the one that it makes. */

import type { Principal } from '#catalog';
import type { PreparedProgram, Ticket } from '#engine';
import { DatabaseError } from '#failure';
import type { HttpContext } from '../../context.ts';
import { wholeBytesMax } from '../../edge/unsent-room.ts';
import type { ProgramWatch } from '../program-watch.ts';
import type { CachedResult } from './relation-cache.ts';
import { type CachedResultFacts, Filling } from './shared-answers.ts';

export class Share {
  private readonly context: HttpContext;
  private readonly ticket: Ticket;
  private filling: Filling | undefined;

  constructor(context: HttpContext, ticket: Ticket) {
    this.context = context;
    this.ticket = ticket;
  }

  /** The answer to `body`, if there is one. Otherwise this request may be making it for others, and has to say `made` or `failed`. */
  find(
    body: string,
    program: PreparedProgram,
  ): CachedResult | undefined | Promise<CachedResult | undefined> {
    const { context, ticket } = this;
    const asked = { body: keyOf(ticket.principal, body), program };
    const found = context.shared?.ask(asked, context.engine(), ticket);
    return found instanceof Promise ? found.then((it) => this.heldOf(it)) : this.heldOf(found);
  }

  private heldOf(found: CachedResult | Filling | undefined): CachedResult | undefined {
    if (!(found instanceof Filling)) return found;
    this.filling = found;
    return undefined;
  }

  /** Without an answer where the client has it already: whoever waits for one makes it. */
  made(answer: Parameters<Filling['done']>[0] | undefined, facts: CachedResultFacts): void {
    if (answer === undefined) this.filling?.failed(true);
    else this.filling?.done(answer, facts);
  }

  failed(error: unknown): void {
    const isCrowded = error instanceof DatabaseError && error.failure.reason === 'overloaded';
    this.filling?.failed(isCrowded || this.ticket.budget.ended !== undefined);
  }
}

/** Answers are shared within a class of visibility: a text of another class is another text. JSON has no character 0. */
function keyOf({ visibility }: Principal, body: string): string {
  return visibility === '' ? body : `${visibility}\0${body}`;
}

/** Sends an answer that was made before. A large one takes room of what is unsent, as the first one did. */
export function sendHeld(
  context: HttpContext,
  held: CachedResult,
  {
    program,
    ticket,
    watch,
  }: { readonly program: PreparedProgram; readonly ticket: Ticket; readonly watch: ProgramWatch },
  headers: Readonly<Record<string, string>>,
): Response {
  const { pieces, bytes, statements, resultRows, entityTag } = held;
  context
    .engine()
    .recalled(program, entityTag === undefined ? statements : [{ affected: resultRows }]);
  watch.recalled();
  const [only] = pieces;
  if (pieces.length === 1 && bytes <= wholeBytesMax) {
    watch.done(false, statements, resultRows);
    ticket.close();
    return new Response(only, { headers });
  }
  const share = context.answers.room.share();
  share.hold(bytes);
  watch.done(false, statements, resultRows);
  ticket.leave();
  return context.answers.send({ pieces, bytes, share }, headers, () => ticket.close());
}
