/** `/execute`: programs by POST, one conditional query by QUERY (interface.md, Data). */

import { Elysia } from 'elysia';
import type { ProgramResponse, ShapedRows } from '#engine';
import { fail } from '#failure';
import { encodeResult } from '#value';
import { checkProgram, checkQuery } from '#wire';
import { parseBody, readBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { checkDiagnosticsHeader } from './diagnostics.ts';
import { matchesTag, parseTagCondition, type TagCondition } from './entity-tag.ts';
import { booleanParameter, searchOf } from './parameters.ts';
import { queryHeaders, queryType } from './query-headers.ts';
import { noContent } from './reply.ts';

export function executeRoutes(context: HttpContext) {
  return new Elysia({ name: 'execute' })
    .post('/execute', ({ request }) => runProgram(context, request), { parse: 'none' })
    .options('/execute', () => noContent({ ...queryHeaders, allow: 'OPTIONS, POST, QUERY' }))
    .route('QUERY', '/execute', ({ request }) => answerQuery(context, request), { parse: 'none' });
}

async function runProgram(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  context.answers.admit();
  checkDiagnosticsHeader(request.headers);
  const body = await readBody(request, 'application/json', context);
  const query = searchOf(request.url);
  const showPlan = booleanParameter(query, 'show-plan');
  const dryRun = booleanParameter(query, 'dry-run');
  const isPlain = !showPlan && !dryRun;
  const known = isPlain ? await runPrepared(context, body) : undefined;
  if (known !== undefined) return sendJson(context, encodeProgram(known));
  const document = parseBody(body, context.limits.depthMax);
  const program = checkProgram(document);
  const response = await engine.execute(program, { showPlan, dryRun });
  if (isPlain && response.prepared !== undefined) {
    context.prepared.add(body, document, response.prepared);
  }
  return sendJson(context, encodeProgram(response));
}

function sendJson(
  context: HttpContext,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const answer = { pieces: [text], bytes: Buffer.byteLength(text) };
  return context.answers.send(answer, { ...headers, 'content-type': 'application/json' });
}

/** Undefined when the body has to take the full path. */
async function runPrepared(
  context: HttpContext,
  body: string,
): Promise<ProgramResponse | undefined> {
  const hit = context.prepared.find(body);
  if (hit === undefined) return undefined;
  const response = await context.engine().executePrepared(hit.program, hit.parameters);
  if (response === undefined) hit.forget();
  return response;
}

function encodeProgram(response: ProgramResponse): string {
  const result = encodeShaped(response.result);
  let statements = '';
  for (const { name, affected, control } of response.statements) {
    const separator = statements === '' ? '' : ',';
    const handle = control === undefined ? 'null' : JSON.stringify(control);
    statements += `${separator}{"name":${JSON.stringify(name)},"affected":${affected},"control":${handle}}`;
  }
  const plan = response.plan === undefined ? '' : `,"plan":${JSON.stringify(response.plan)}`;
  return `{"result":${result},"statements":[${statements}]${plan}}`;
}

function encodeShaped(shaped: ShapedRows | undefined): string {
  if (shaped === undefined) return 'null';
  return encodeResult(shaped.columns, shaped.rows, shaped.cardinality);
}

async function answerQuery(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  context.answers.admit();
  checkAccept(request.headers.get('accept'));
  const body = await readBody(request, queryType, context);
  const condition = parseTagCondition(request.headers.get('if-none-match'));
  const query = checkQuery(parseBody(body, context.limits.depthMax));
  const { result, entityTag } = await engine.query(query, unlessMatched(condition));
  const headers = { ...queryHeaders, etag: entityTag };
  if (result === undefined) return new Response(null, { status: 304, headers });
  return sendJson(context, encodeShaped(result), headers);
}

function unlessMatched(condition: TagCondition | undefined): (tag: string) => boolean {
  return (tag) => !matchesTag(condition, tag);
}

/** Absent, a wildcard, or JSON with a quality above zero. */
function checkAccept(accept: string | null): void {
  if (accept === null) return;
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim()));
  const quality = new Map(
    ranges.map(([type, ...parameters]) => [type?.toLowerCase() ?? '', qualityOf(parameters)]),
  );
  for (const type of ['application/json', 'application/*', '*/*']) {
    const q = quality.get(type);
    if (q === undefined) continue;
    if (q > 0) return;
    break;
  }
  throw fail(
    'schema_violation',
    `the result is application/json, which Accept: ${accept} excludes`,
    {
      status: 406,
      location: { pointer: '/header/accept' },
    },
  );
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.toLowerCase().startsWith('q='));
  return q === undefined ? 1 : Number(q.slice(2));
}
