/** Administration of online transitions in both modes (docs/migrations.md): list, get, wait, cancel. */

import { Elysia } from 'elysia';
import { type TransitionControl, transitionKinds, transitionStates } from '#catalog';
import type { HttpContext } from '../context.ts';
import { requireWriter } from '../edge/access.ts';
import { checkMediaTypeIfGiven } from '../edge/body.ts';
import { durationParameter, integerParameter, oneOfParameter } from '../edge/parameter-types.ts';
import { checkNoParameters, parametersOf, pathnameOf, pathSegments } from '../edge/parameters.ts';
import { jsonReply } from '../edge/reply.ts';

/** Maximum wait for a change of one transition, in milliseconds. */
const waitMaxMs = 60_000;
const segmentNames = ['', '', 'transition'];

export function transitionRoutes(context: HttpContext) {
  return new Elysia({ name: 'transitions' })
    .get('/schema/transitions', ({ request }) => list(context, request))
    .get('/schema/transitions/:transition', ({ request }) => get(context, request))
    .post('/schema/transitions/:transition/cancel', ({ request }) => cancel(context, request), {
      parse: 'none',
    });
}

async function list(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  const query = parametersOf(request.url, ['kind', 'state']);
  const kind = oneOfParameter(query, 'kind', transitionKinds);
  const state = oneOfParameter(query, 'state', transitionStates);
  const transitions = await engine.transitions.list({ kind, state });
  return jsonReply(JSON.stringify({ transitions }));
}

/**
 * Returns a transition. With `wait`, returns it when its generation exceeds `generation` (by default the current one) or
 * when the time is over.
 */
async function get(context: HttpContext, request: Request): Promise<Response> {
  const { transitions } = context.engine();
  const query = parametersOf(request.url, ['wait', 'generation']);
  const waitMs = durationParameter(query, 'wait', waitMaxMs);
  const generation = integerParameter(query, 'generation');
  const name = nameOf(request);
  if (waitMs === undefined) return reply(await transitions.get(name));
  // A request that only waits does not delay shutdown.
  context.activity.leave();
  try {
    const principal = context.authority.principalOf(request);
    return reply(await transitions.getAfter(name, generation, waitMs, principal));
  } finally {
    context.activity.enter();
  }
}

async function cancel(context: HttpContext, request: Request): Promise<Response> {
  const engine = context.engine();
  requireWriter(context, 'the cancellation');
  checkMediaTypeIfGiven(request.headers, 'application/json');
  checkNoParameters(request.url);
  const principal = context.authority.principalOf(request);
  return reply(await engine.transitions.cancel(nameOf(request), principal));
}

function nameOf(request: Request): string {
  return pathSegments(pathnameOf(request.url), segmentNames)[2] as string;
}

function reply(control: TransitionControl): Response {
  return jsonReply(JSON.stringify(control));
}
