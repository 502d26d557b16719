/** `/execute`: programs by POST, one conditional query by QUERY (docs/http.md). */

import { Elysia } from 'elysia';
import { queryType } from '#wire';
import type { HttpContext } from '../context.ts';
import { checkAccept } from '../edge/accept.ts';
import {
  booleanParameter,
  checkNoParameters,
  parametersOf,
  pathnameOf,
} from '../edge/parameters.ts';
import { answerFailure, noContent } from '../edge/reply.ts';
import type { Asked } from './asked.ts';
import { Diagnosis } from './diagnosis/diagnosis.ts';
import { askedDiagnostics } from './diagnostics.ts';
import { parseTagCondition } from './entity-tag.ts';
import { exchange } from './exchange.ts';
import { queryHeaders } from './query-headers.ts';

const programParameters = ['show-plan', 'dry-run'];

export function executeRoutes(context: HttpContext) {
  return new Elysia({ name: 'execute' })
    .post(
      '/execute',
      ({ request }) => programResponse(context, request, context.clock.monotonicMs()),
      { parse: 'none' },
    )
    .options('/execute', () => noContent({ ...queryHeaders, allow: 'OPTIONS, POST, QUERY' }))
    .route('QUERY', '/execute', ({ request }) => runQuery(context, request), { parse: 'none' });
}

/** Programs come more often than all else together, and the way through the routes costs such a request some microseconds: they may go past it. */
export function isProgram({ method, url }: Request): boolean {
  return method === 'POST' && pathnameOf(url) === '/execute';
}

/** `POST /execute`: one promise from the body to the answer, for nearly every request comes here. */
export function programResponse(
  context: HttpContext,
  request: Request,
  arrivedMs: number,
): Promise<Response> {
  context.engine();
  const level = askedDiagnostics(request.headers, context.diagnostics ?? 'off');
  if (level === undefined) return exchange(context, programs, { request, arrivedMs });
  const trace = context.traces.get(request);
  const { requestId = context.incident(), traceId } = trace ?? {};
  const diagnosis = new Diagnosis(context, { level, requestId, traceId });
  // A problem tells of the program as an answer does.
  return exchange(context, programs, { request, arrivedMs, diagnosis }).catch((error) =>
    answerFailure(context, request, error, { diagnosis }),
  );
}

async function runQuery(context: HttpContext, request: Request): Promise<Response> {
  const arrivedMs = context.clock.monotonicMs();
  context.engine();
  checkAccept(request.headers.get('accept'));
  return exchange(context, queries, { request, arrivedMs });
}

const programs = {
  type: 'application/json',
  ask: ({ url }: Request, body: string, diagnosis: Diagnosis | undefined): Asked => {
    const parameters = parametersOf(url, programParameters);
    const showPlan = booleanParameter(parameters, 'show-plan');
    const dryRun = booleanParameter(parameters, 'dry-run');
    return { body, isQuery: false, showPlan, dryRun, condition: undefined, diagnosis };
  },
};

const queries = {
  type: queryType,
  ask: ({ url, headers }: Request, body: string): Asked => {
    checkNoParameters(url);
    const condition = parseTagCondition(headers.get('if-none-match'));
    const plain = { showPlan: false, dryRun: false, diagnosis: undefined };
    return { body, isQuery: true, ...plain, condition };
  },
};
