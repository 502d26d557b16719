/** Connects one request to the shared results: finds a result for it, or publishes the result that it computes. */

import { claimValue, type Principal } from '#access';
import type { PreparedProgram, RequestContext } from '#engine';
import { DatabaseError } from '#failure';
import { ByteString, formatBase64, type Scalar } from '#value';
import type { HttpContext } from '../../context.ts';
import { wholeBytesMax } from '../../edge/response-memory.ts';
import type { ProgramWatch } from '../program-watch.ts';
import { type CachedResultFacts, CacheFill } from './coalesced-results.ts';
import type { CachedResult } from './relation-cache.ts';

export class CachedRequest {
  private readonly context: HttpContext;
  private readonly requestContext: RequestContext;
  private filling: CacheFill | undefined;

  constructor(context: HttpContext, requestContext: RequestContext) {
    this.context = context;
    this.requestContext = requestContext;
  }

  /**
   * Returns the cached result of `body`, if any. Otherwise this request may be computing the result for others, and the
   * caller must call `made` or `failed`.
   */
  find(
    body: string,
    program: PreparedProgram,
  ): CachedResult | undefined | Promise<CachedResult | undefined> {
    const { context, requestContext } = this;
    const { principal } = requestContext;
    const visibilityClass = principal.visibility.key;
    const asked = { visibilityClass, body: keyOf(principal, program, body), program };
    const found = context.shared?.ask(asked, context.engine(), requestContext);
    return found instanceof Promise ? found.then((it) => this.heldOf(it)) : this.heldOf(found);
  }

  private heldOf(found: CachedResult | CacheFill | undefined): CachedResult | undefined {
    if (!(found instanceof CacheFill)) return found;
    this.filling = found;
    return undefined;
  }

  /**
   * Publishes the computed result. The argument `answer` is `undefined` if the client already has the result: then one of the waiting requests
   * computes it.
   */
  made(answer: Parameters<CacheFill['done']>[0] | undefined, facts: CachedResultFacts): void {
    if (answer === undefined) this.filling?.failed(true);
    else this.filling?.done(answer, facts);
  }

  failed(error: unknown): void {
    const isCrowded = error instanceof DatabaseError && error.failure.reason === 'overloaded';
    this.filling?.failed(isCrowded || this.requestContext.budget.ended !== undefined);
  }
}

/**
 * Returns the cache key. Results are shared only within a visibility class, and only by principals with the same values of the claims that the
 * program reads, so both are a part of the key. JSON never contains the character 0.
 */
function keyOf({ visibility, claims }: Principal, { plan }: PreparedProgram, body: string): string {
  if (visibility.key === '') return body;
  const values = plan.claims.map(({ claim }) => claimText(claimValue(claims, claim)));
  return `${visibility.key}\0${values.join('\0')}\0${body}`;
}

/** Returns a text that no other value of the same type has. */
function claimText(value: Scalar): string {
  if (value === null) return '';
  return value instanceof ByteString ? formatBase64(value.bytes) : JSON.stringify(String(value));
}

/** Sends a result that was made earlier. A large result reserves response memory like the first one. */
export function sendHeld(
  context: HttpContext,
  held: CachedResult,
  {
    program,
    requestContext,
    watch,
  }: {
    readonly program: PreparedProgram;
    readonly requestContext: RequestContext;
    readonly watch: ProgramWatch;
  },
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
    requestContext.close();
    return new Response(only, { headers });
  }
  const share = context.answers.room.share();
  share.hold(bytes);
  watch.done(false, statements, resultRows);
  requestContext.leave();
  return context.answers.send({ pieces, bytes, share }, headers, () => requestContext.close());
}
