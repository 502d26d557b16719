/** `/execute`: programs by POST, one conditional query by QUERY (docs/http.md). */

import { Elysia } from 'elysia';
import { runSteps } from '#base';
import type { ExecuteOptions, ProgramResponse, QueryResponse, RequestFacts, Ticket } from '#engine';
import { encodeText } from '#value';
import { checkProgramSteps, checkQuerySteps, queryType } from '#wire';
import { checkAccept } from './accept.ts';
import { parseBody, readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { Diagnosis } from './diagnosis/diagnosis.ts';
import { askedDiagnostics } from './diagnostics.ts';
import type { Answer } from './edge/send-answer.ts';
import { wholeBytesMax } from './edge/unsent-room.ts';
import { matchesTag, parseTagCondition, type TagCondition } from './entity-tag.ts';
import { booleanParameter, checkNoParameters, parametersOf, pathnameOf } from './parameters.ts';
import { programOfQuery } from './program-log.ts';
import { oneQuery, ProgramWatch } from './program-watch.ts';
import { queryHeaders } from './query-headers.ts';
import { Share, sendHeld } from './relations/share.ts';
import { answerFailure, jsonReply, noContent } from './reply.ts';
import { holdDocument, holdText, requestFacts } from './request-facts.ts';
import { ResultText } from './result-text.ts';

const jsonHeaders = { 'content-type': 'application/json' };
/** The nodes of a program lie in its object, `statements`, a statement, `relation`, `nodes`, and are objects themselves. */
const rowsDepth = 6;

const programParameters = ['show-plan', 'dry-run'];

/** A text of this length is sent as a whole, whatever its characters. */
const surelyWholeLength = Math.floor(wholeBytesMax / 3);

export function executeRoutes(context: HttpContext) {
  return new Elysia({ name: 'execute' })
    .post('/execute', ({ request }) => runProgram(context, request), { parse: 'none' })
    .options('/execute', () => noContent({ ...queryHeaders, allow: 'OPTIONS, POST, QUERY' }))
    .route('QUERY', '/execute', ({ request }) => answerQuery(context, request), { parse: 'none' });
}

/** Programs come more often than all else together, and the way through the routes costs such a request some microseconds: they may go past it. */
export function isProgram({ method, url }: Request): boolean {
  return method === 'POST' && pathnameOf(url) === '/execute';
}

/** `POST /execute`: one promise from the body to the answer, for nearly every request comes here. */
export function runProgram(context: HttpContext, request: Request): Promise<Response> {
  context.engine();
  const level = askedDiagnostics(request.headers, context.diagnostics ?? 'off');
  if (level === undefined) return answerProgram(context, request, undefined);
  const trace = context.traces.get(request);
  const { requestId = context.incident(), traceId } = trace ?? {};
  const diagnosis = new Diagnosis(context, { level, requestId, traceId });
  return answerDiagnosed(context, request, diagnosis);
}

/** A problem tells of the program as an answer does. */
async function answerDiagnosed(
  context: HttpContext,
  request: Request,
  diagnosis: Diagnosis,
): Promise<Response> {
  try {
    return await answerProgram(context, request, diagnosis);
  } catch (error) {
    return answerFailure(context, request, error, { diagnosis });
  }
}

async function answerProgram(
  context: HttpContext,
  request: Request,
  diagnosis: Diagnosis | undefined,
): Promise<Response> {
  const facts = requestFacts(context, request);
  const body = await readBody(request, 'application/json', context);
  const query = parametersOf(request.url, programParameters);
  const showPlan = booleanParameter(query, 'show-plan');
  const dryRun = booleanParameter(query, 'dry-run');
  const ticket = context.engine().ticket(facts);
  const text = new ResultText(ticket, context.limits.resultBytesMax, context.answers.room);
  const watch = new ProgramWatch(context, request, facts);
  let share: Share | undefined;
  try {
    holdText(ticket, body);
    watch.begin(ticket, body, false, diagnosis?.requestId);
    diagnosis?.begin(ticket, body, dryRun);
    const isPlain = !showPlan && !dryRun;
    const found = isPlain ? context.prepared.find('program', body) : undefined;
    const isEnough =
      found !== undefined &&
      watch.recognizes(found) &&
      (diagnosis === undefined || diagnosis.recognizes(found.program));
    const hit = isEnough ? found : undefined;
    if (hit?.isShared && diagnosis === undefined && context.shared !== undefined) {
      const { program } = hit;
      share = new Share(context, ticket);
      const asked = share.find('program', body, program);
      const held = asked instanceof Promise ? await asked : asked;
      if (held !== undefined)
        return sendHeld(context, held, { program, ticket, watch }, jsonHeaders);
    }
    const known = hit && context.engine().executePrepared(hit.program, hit.parameters, ticket);
    // What does not wait is answered in the turn in which its body is there.
    let response = known instanceof Promise ? await known : known;
    if (response === undefined) {
      hit?.forget();
      const options = { showPlan, dryRun };
      response = await runText(context, body, { options, ticket, watch, diagnosis });
    }
    const explained = diagnosis?.done(response, ticket);
    if (explained !== undefined) await explained;
    const whole: ProgramResponse = response;
    const answer = text.answer(whole.result, '{"result":', () => restOf(whole, diagnosis));
    const written = answer instanceof Promise ? await answer : answer;
    const gathering = watch.gather(whole.prepared, ticket);
    if (gathering !== undefined) await gathering;
    const { statements } = whole;
    const resultRows = whole.result?.rows.length ?? 0;
    share?.made(written, { entityTag: undefined, statements, resultRows });
    watch.done(dryRun, statements, resultRows);
    return send(context, written, ticket);
  } catch (error) {
    share?.failed(error);
    watch.failed(dryRun, error);
    if (diagnosis !== undefined) await diagnosis.ended(ticket);
    return abandon(context, ticket, text, error);
  }
}

/** The ticket goes back with the answer, or with what was thrown, and so does the room for the answer. */
async function within(
  context: HttpContext,
  request: Request,
  { facts, body }: { readonly facts: RequestFacts; readonly body: string },
  answer: (ticket: Ticket, text: ResultText, watch: ProgramWatch) => Promise<Response>,
): Promise<Response> {
  const ticket = context.engine().ticket(facts);
  const text = new ResultText(ticket, context.limits.resultBytesMax, context.answers.room);
  const watch = new ProgramWatch(context, request, facts);
  try {
    watch.begin(ticket, body, true);
    return await answer(ticket, text, watch);
  } catch (error) {
    watch.failed(false, error);
    return abandon(context, ticket, text, error);
  }
}

function abandon(context: HttpContext, ticket: Ticket, text: ResultText, error: unknown): never {
  text.drop();
  context.letGo?.(ticket.heldByWork);
  ticket.close();
  throw error;
}

function send(
  context: HttpContext,
  answer: string | Answer,
  ticket: Ticket,
  headers?: Readonly<Record<string, string>>,
): Response {
  if (typeof answer === 'string' && answer.length <= surelyWholeLength) {
    ticket.close();
    return jsonReply(answer, 200, headers);
  }
  ticket.leave();
  const whole =
    typeof answer === 'string' ? { pieces: [answer], bytes: Buffer.byteLength(answer) } : answer;
  return context.answers.send(whole, { ...headers, 'content-type': 'application/json' }, () =>
    ticket.close(),
  );
}

interface TextRun {
  readonly options: ExecuteOptions;
  readonly ticket: Ticket;
  readonly watch: ProgramWatch;
  readonly diagnosis: Diagnosis | undefined;
}

async function runText(
  context: HttpContext,
  body: string,
  { options, ticket, watch, diagnosis }: TextRun,
): Promise<ProgramResponse> {
  holdDocument(ticket, body);
  const { budget } = ticket;
  const turn = context.programTurns.enter(budget);
  if (turn !== undefined) await turn;
  const parsed = parseBody(context, body, budget, rowsDepth);
  const document = parsed instanceof Promise ? await parsed : parsed;
  // Without a wait in between, parsing and planning of a small program are one stretch, which the share of the turn sees.
  const checked = runSteps(checkProgramSteps(document, budget), budget);
  const program = checked instanceof Promise ? await checked : checked;
  const identified = watch.checked(program, ticket);
  if (identified !== undefined) await identified;
  if (diagnosis !== undefined) await diagnosis.checked(program, ticket);
  const response = await context.engine().execute(program, options, ticket);
  const isPlain = !options.showPlan && !options.dryRun;
  if (isPlain && response.prepared !== undefined) {
    context.prepared.add('program', { body, document, program: response.prepared });
  }
  return response;
}

/** What stands in an answer after the result. */
function restOf(response: ProgramResponse, diagnosis: Diagnosis | undefined): string {
  let statements = '';
  for (const { name, affected, control } of response.statements) {
    const separator = statements === '' ? '' : ',';
    const handle = control === undefined ? 'null' : JSON.stringify(control);
    statements += `${separator}{"name":${encodeText(name)},"affected":${affected},"control":${handle}}`;
  }
  const plan = response.plan === undefined ? '' : `,"plan":${JSON.stringify(response.plan)}`;
  const extension = diagnosis === undefined ? '' : `,"_svc":{"diagnostics":${diagnosis.text()}}`;
  return `,"statements":[${statements}]${plan}${extension}}`;
}

async function answerQuery(context: HttpContext, request: Request): Promise<Response> {
  context.engine();
  checkAccept(request.headers.get('accept'));
  const facts = requestFacts(context, request);
  const body = await readBody(request, queryType, context);
  checkNoParameters(request.url);
  const condition = parseTagCondition(request.headers.get('if-none-match'));
  const answered = within(context, request, { facts, body }, async (ticket, text, watch) => {
    holdText(ticket, body);
    const share = new Share(context, ticket);
    try {
      return await answerShared(context, body, { condition, ticket, watch, text, share });
    } catch (error) {
      share.failed(error);
      throw error;
    }
  });
  if (condition === undefined) return answered;
  return answered.catch((error: unknown) => {
    context.counters.conditionsFailed++;
    throw error;
  });
}

type Wanted = (entityTag: string) => boolean;

interface QueryRun {
  readonly wanted: Wanted;
  readonly ticket: Ticket;
  readonly watch: ProgramWatch;
}

interface SharedRun extends Omit<QueryRun, 'wanted'> {
  readonly condition: TagCondition | undefined;
  readonly text: ResultText;
  readonly share: Share;
}

async function answerShared(
  context: HttpContext,
  body: string,
  { condition, ticket, watch, text, share }: SharedRun,
): Promise<Response> {
  const run = { wanted: unlessMatched(condition), ticket, watch };
  const found = context.prepared.find('query', body);
  const hit = found !== undefined && watch.recognizes(found) ? found : undefined;
  const unchanged = hit && unchangedTag(context, hit, condition);
  if (unchanged !== undefined) {
    const wait = context.engine().durable();
    if (wait !== undefined) await ticket.budget.until(wait);
    context.counters.conditionsMet++;
    watch.done(false, oneQuery, 0);
    return notModified(ticket, unchanged);
  }
  if (hit?.isShared && context.shared !== undefined) {
    const { program } = hit;
    const asked = share.find('query', body, program);
    const held = asked instanceof Promise ? await asked : asked;
    if (held !== undefined) {
      if (condition !== undefined) context.counters.conditionsMissed++;
      const headers = { ...queryHeaders, ...jsonHeaders, etag: held.entityTag as string };
      return sendHeld(context, held, { program, ticket, watch }, headers);
    }
  }
  const { result, entityTag, prepared } =
    (hit && (await answerKnown(context, hit, run))) ?? (await answerText(context, body, run));
  const answer = result && (await text.answer(result));
  if (condition !== undefined) {
    if (answer === undefined) context.counters.conditionsMet++;
    else context.counters.conditionsMissed++;
  }
  const gathering = watch.gather(prepared, ticket);
  if (gathering !== undefined) await gathering;
  const resultRows = result?.rows.length ?? 0;
  share.made(answer, { entityTag, statements: oneQuery, resultRows });
  watch.done(false, oneQuery, resultRows);
  if (answer === undefined) return notModified(ticket, entityTag);
  return send(context, answer, ticket, { ...queryHeaders, etag: entityTag });
}

function notModified(ticket: Ticket, etag: string): Response {
  ticket.close();
  return new Response(null, { status: 304, headers: { ...queryHeaders, etag } });
}

type QueryHit = NonNullable<ReturnType<HttpContext['prepared']['find']>>;

/** The tag of the answer as it is now, if the client has it. */
function unchangedTag(
  context: HttpContext,
  { program, shown }: QueryHit,
  condition: TagCondition | undefined,
): string | undefined {
  if (condition === undefined) return undefined;
  const tag = context.engine().tagOf(program, shown);
  return tag !== undefined && matchesTag(condition, tag) ? tag : undefined;
}

/** Of a query that is known by its text; undefined, with nothing done, when it has to be planned anew. */
async function answerKnown(
  context: HttpContext,
  { program, parameters, shown: text, forget }: QueryHit,
  { wanted, ticket }: QueryRun,
): Promise<QueryResponse | undefined> {
  const known = await context.engine().queryPrepared(program, parameters, { text, wanted }, ticket);
  if (known === undefined) forget();
  return known;
}

async function answerText(
  context: HttpContext,
  body: string,
  { wanted, ticket, watch }: QueryRun,
): Promise<QueryResponse> {
  holdDocument(ticket, body);
  const { budget } = ticket;
  const turn = context.programTurns.enter(budget);
  if (turn !== undefined) await turn;
  const parsed = parseBody(context, body, budget);
  const document = parsed instanceof Promise ? await parsed : parsed;
  const checked = runSteps(checkQuerySteps(document, budget), budget);
  const query = checked instanceof Promise ? await checked : checked;
  const identified = watch.checked(programOfQuery(query), ticket);
  if (identified !== undefined) await identified;
  const response = await context.engine().query(query, wanted, ticket);
  const { prepared: program, text: shown } = response;
  context.prepared.add('query', { body, document, program, shown });
  return response;
}

function unlessMatched(condition: TagCondition | undefined): Wanted {
  return (tag) => !matchesTag(condition, tag);
}
