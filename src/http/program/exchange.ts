/** Processes one program or query, from its text to its response. */

import { authorize, requireUnrestricted } from '#access';
import type {
  ProgramRequest,
  ProgramResponse,
  RequestContext,
  RequestFacts,
  ShapedRows,
} from '#engine';
import type { Program } from '#pir';
import type { HttpContext } from '../context.ts';
import { readBody } from '../edge/body.ts';
import { jsonReply } from '../edge/reply.ts';
import { holdText, requestFacts } from '../edge/request-facts.ts';
import { wholeBytesMax } from '../edge/response-memory.ts';
import type { OutgoingResponse } from '../edge/send-answer.ts';
import type { Asked } from './asked.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import { matchesTag } from './entity-tag.ts';
import { oneQuery, ProgramWatch } from './program-watch.ts';
import { queryHeaders } from './query-headers.ts';
import { Reading } from './reading.ts';
import { CachedRequest, sendHeld } from './relations/cached-request.ts';
import { restOf } from './response-text.ts';
import { ResultText } from './result-text.ts';
import type { TemplateHit } from './templates.ts';

/** A text up to this length is sent whole, regardless of its characters. */
const surelyWholeLength = Math.floor(wholeBytesMax / 3);

/** The media type and the options of one kind of request. */
interface Asking {
  /** The media type of its body. */
  readonly type: string;
  /** Reads the options. Called after the body was received. */
  readonly ask: (request: Request, body: string, diagnosis: Diagnosis | undefined) => Asked;
}

/** A request that was just received. */
interface Arrived {
  readonly request: Request;
  /** Time of arrival on the monotonic clock. */
  readonly arrivedMs: number;
  readonly diagnosis?: Diagnosis | undefined;
}

/**
 * Processes a request in one promise, from its body to its response. If no step waits, the response is ready in the
 * iteration in which the body is complete. If a step throws, the request context and the response memory are released
 * too.
 */
export async function exchange(
  context: HttpContext,
  { type, ask }: Asking,
  { request, arrivedMs, diagnosis }: Arrived,
): Promise<Response> {
  const facts = requestFacts(context, request, arrivedMs);
  const body = await readBody(request, type, context);
  const one = new Exchange(context, request, facts, ask(request, body, diagnosis));
  try {
    one.begin();
    const hit = one.recognized();
    const keeping = hit && one.kept(hit);
    const kept = keeping instanceof Promise ? await keeping : keeping;
    if (kept !== undefined) return kept;
    const running = one.execute();
    const response = running instanceof Promise ? await running : running;
    const told = one.remember(response);
    if (told !== undefined) await told;
    const writing = one.write(response);
    const written = writing instanceof Promise ? await writing : writing;
    const gathering = one.gather(response);
    if (gathering !== undefined) await gathering;
    return one.done(response, written);
  } catch (error) {
    const told = one.failed(error);
    if (told !== undefined) await told;
    throw one.abandoned(error);
  }
}

/**
 * The execution of one request for a program. The class also implements the request interface of the engine: one object instead of several
 * closures per request.
 */
class Exchange implements ProgramRequest {
  /** The cached plan that was found by the text of the body. */
  known: TemplateHit | undefined;
  private readonly context: HttpContext;
  private readonly asked: Asked;
  private readonly requestContext: RequestContext;
  private readonly watch: ProgramWatch;
  private readonly text: ResultText;
  /** The reader of the body; `undefined` until the program itself is needed. */
  private read: Reading | undefined;
  /** The request in the relation cache; `undefined` if its result is not shared. */
  private share: CachedRequest | undefined;

  constructor(context: HttpContext, request: Request, facts: RequestFacts, asked: Asked) {
    this.context = context;
    this.asked = asked;
    this.requestContext = context.engine().requestContext(facts);
    this.text = new ResultText(
      this.requestContext,
      context.limits.resultBytesMax,
      context.answers.room,
    );
    this.watch = new ProgramWatch(context, request, facts);
  }

  begin(): void {
    const { asked, requestContext, watch } = this;
    const { body, dryRun, showPlan, diagnosis } = asked;
    // Plans and diagnostics name the tables of foreign keys, and count rows that the result does not contain.
    const { principal } = requestContext;
    const { catalog } = this.context.engine();
    if (showPlan) requireUnrestricted(principal, catalog, 'a plan');
    if (diagnosis !== undefined) requireUnrestricted(principal, catalog, 'diagnostics');
    holdText(requestContext, body);
    watch.begin(requestContext, asked);
    diagnosis?.begin(requestContext, body, dryRun);
  }

  /**
   * Returns the cached plan that was found by the text of the body, or `undefined` if the request needs more than the
   * plan contains.
   */
  recognized(): TemplateHit | undefined {
    this.known = this.found();
    return this.known;
  }

  private found(): TemplateHit | undefined {
    const { body, isQuery, showPlan, dryRun, diagnosis } = this.asked;
    if (showPlan || dryRun) return undefined;
    const hit = this.context.templates().find(body, isQuery, this.requestContext.principal);
    if (hit === undefined) return undefined;
    authorize(this.requestContext.principal, hit.program.plan.needs);
    const isEnough =
      this.watch.recognizes(hit.program) &&
      (diagnosis === undefined || diagnosis.recognizes(hit.program));
    return isEnough ? hit : undefined;
  }

  /** Returns a response without execution, if the client has the current result or the relation cache has it. */
  kept(hit: TemplateHit): Response | undefined | Promise<Response | undefined> {
    const { context, asked, requestContext } = this;
    const { condition, diagnosis, body } = asked;
    const { program } = hit;
    if (condition !== undefined) {
      const tag = context.engine().tagOf(program, hit.shownText(body), requestContext.principal);
      if (tag !== undefined && matchesTag(condition, tag)) return this.unchanged(tag);
    }
    if (!program.isShared || diagnosis !== undefined || context.shared === undefined) {
      return undefined;
    }
    this.share = new CachedRequest(context, requestContext);
    const held = this.share.find(body, program);
    return held instanceof Promise
      ? held.then((it) => this.shared(hit, it))
      : this.shared(hit, held);
  }

  /** Returns 304 after the state that the client has is durable. */
  private async unchanged(tag: string): Promise<Response> {
    const wait = this.context.engine().durable();
    if (wait !== undefined) await this.requestContext.budget.until(wait);
    this.context.counters.conditionsMet++;
    this.watch.done(false, oneQuery, 0);
    return this.notModified(tag);
  }

  private shared(
    { program }: TemplateHit,
    held: Parameters<typeof sendHeld>[1] | undefined,
  ): Response | undefined {
    if (held === undefined) return undefined;
    const { context, asked, requestContext, watch } = this;
    if (asked.condition !== undefined) context.counters.conditionsMissed++;
    const headers = { ...this.headersOf(held.entityTag), 'content-type': 'application/json' };
    return sendHeld(context, held, { program, requestContext, watch }, headers);
  }

  /**
   * Returns the reader of the body. Called if no plan was found, or if the found plan is no longer valid, which is then
   * forgotten.
   */
  private reading(): Reading {
    this.known?.forget();
    this.read ??= new Reading(this.context, this.asked, this.requestContext, this.watch);
    return this.read;
  }

  execute(): ProgramResponse | Promise<ProgramResponse> {
    return this.context.engine().execute(this, this.requestContext);
  }

  program(): Promise<Program> {
    return this.reading().program;
  }

  get isQuery(): boolean {
    return this.asked.isQuery;
  }

  get showPlan(): boolean {
    return this.asked.showPlan;
  }

  get dryRun(): boolean {
    return this.asked.dryRun;
  }

  get condition(): ProgramRequest['condition'] {
    const { isQuery, body, condition } = this.asked;
    if (!isQuery) return undefined;
    return {
      text: () => this.known?.shownText(body) ?? this.reading().queryText,
      wanted: (tag) => !matchesTag(condition, tag),
    };
  }

  beforeCommit(result: ShapedRows): Promise<void> | undefined {
    return this.text.beforeCommit(result);
  }

  /** Caches the plan and records the diagnostics. */
  remember(response: ProgramResponse): Promise<void> | undefined {
    this.read?.remember(response);
    return this.asked.diagnosis?.done(response, this.requestContext);
  }

  /** Encodes the result. Returns `undefined` if the client already has it. */
  write(
    response: ProgramResponse,
  ): string | OutgoingResponse | undefined | Promise<OutgoingResponse> {
    const { asked, text } = this;
    const { result } = response;
    if (!asked.isQuery) {
      return text.answer(result, '{"result":', () => restOf(response, asked.diagnosis));
    }
    return result && text.answer(result);
  }

  gather({ prepared }: ProgramResponse): Promise<void> | undefined {
    return this.watch.gather(prepared, this.requestContext);
  }

  done(response: ProgramResponse, written: string | OutgoingResponse | undefined): Response {
    const { asked, context, watch, share, requestContext } = this;
    const { result, entityTag } = response;
    const resultRows = result?.rows.length ?? 0;
    const statements = asked.isQuery ? oneQuery : response.statements;
    share?.made(written, { entityTag, statements, resultRows });
    if (asked.condition !== undefined) {
      if (written === undefined) context.counters.conditionsMet++;
      else context.counters.conditionsMissed++;
    }
    watch.done(asked.dryRun, statements, resultRows);
    if (written === undefined) return this.notModified(entityTag as string);
    return send(context, written, requestContext, this.headersOf(entityTag));
  }

  private headersOf(entityTag: string | undefined): Readonly<Record<string, string>> | undefined {
    if (entityTag !== undefined) return { ...queryHeaders, etag: entityTag };
    return this.isQuery ? queryHeaders : undefined;
  }

  private notModified(etag: string): Response {
    this.requestContext.close();
    return new Response(null, { status: 304, headers: { ...queryHeaders, etag } });
  }

  /** Records the failure. Diagnostics of the program are completed before the request context is closed. */
  failed(error: unknown): Promise<void> | undefined {
    const { share, watch, asked, requestContext, context } = this;
    share?.failed(error);
    watch.failed(asked.dryRun, error);
    if (asked.condition !== undefined) context.counters.conditionsFailed++;
    return asked.diagnosis?.ended(requestContext);
  }

  abandoned(error: unknown): unknown {
    const { text, context, requestContext } = this;
    text.drop();
    context.release?.(requestContext.heldByWork);
    requestContext.close();
    return error;
  }
}

function send(
  context: HttpContext,
  answer: string | OutgoingResponse,
  requestContext: RequestContext,
  headers: Readonly<Record<string, string>> | undefined,
): Response {
  if (typeof answer === 'string' && answer.length <= surelyWholeLength) {
    requestContext.close();
    const complete = headers === undefined ? context.cors.completeReply(answer) : undefined;
    return complete ?? jsonReply(answer, 200, headers);
  }
  requestContext.leave();
  const whole =
    typeof answer === 'string' ? { pieces: [answer], bytes: Buffer.byteLength(answer) } : answer;
  return context.answers.send(whole, { ...headers, 'content-type': 'application/json' }, () =>
    requestContext.close(),
  );
}
