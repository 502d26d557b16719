/** The routes of `/execute`: POST runs a program, QUERY runs one conditional query (docs/http.md). */

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

/**
 * Returns whether the request is a program. Programs are the most frequent requests and bypass the router, which would
 * take several microseconds.
 */
export function isProgram({ method, url }: Request): boolean {
  return method === 'POST' && pathnameOf(url) === '/execute';
}

/**
 * Runs a program: `POST /execute`. Nearly every request takes this path, so it uses one promise from the body to the
 * response.
 */
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
  // The problem response contains diagnostics as the normal response does.
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
