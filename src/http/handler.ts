/** Around the application: what is refused before any route is looked at, what is counted, and what is told about it. */

import { createApp } from './app.ts';
import { type HttpContext, type HttpOptions, httpContext } from './context.ts';
import type { EdgeCounters } from './edge/counters.ts';
import type { Sockets } from './edge/transport.ts';
import { HostGuard } from './host.ts';
import { pathnameOf } from './parameters.ts';
import { isProbe } from './probes.ts';
import { answerFailure } from './reply.ts';

export interface HandlerOptions extends HttpOptions {
  /** Answers only requests that were made to a loopback name or address. */
  readonly loopbackOnly: boolean;
  /** Told each answer; leave it out where nobody listens. */
  readonly onCompleted?: (request: Request, response: Response, durationMs: number) => void;
}

/** `sockets` is the listener that the request came from. */
export type Handler = (request: Request, sockets?: Sockets) => Response | Promise<Response>;

/** The handler of a listener, and the activity that its orderly stop waits for. */
export function createHandler(options: HandlerOptions): {
  readonly handle: Handler;
  readonly activity: HttpContext['activity'];
  readonly counters: EdgeCounters;
} {
  const context = httpContext(options);
  const app = createApp(context);
  const { activity } = context;
  const refuse = refusals(context, options.loopbackOnly);
  const answer = async (request: Request): Promise<Response> => {
    activity.enter();
    try {
      return await app.fetch(request);
    } finally {
      activity.leave();
    }
  };
  const handle: Handler = (request, sockets) => {
    if (sockets !== undefined) context.transport.attach(sockets);
    return refuse(request) ?? answer(request);
  };
  const { onCompleted } = options;
  return {
    handle: onCompleted === undefined ? handle : told(handle, context, onCompleted),
    activity,
    counters: context.counters,
  };
}

/** A foreign host first; then, until the database is open, everything but the probes. */
function refusals(
  context: HttpContext,
  loopbackOnly: boolean,
): (request: Request) => Response | undefined {
  const guard = new HostGuard();
  return (request) => {
    try {
      if (loopbackOnly) guard.check(request.headers);
      if (context.lifecycle.engine === undefined && !isProbe(pathnameOf(request.url))) {
        context.engine();
      }
      return undefined;
    } catch (error) {
      return answerFailure(context, request, error);
    }
  };
}

function told(
  handle: Handler,
  { clock }: HttpContext,
  onCompleted: NonNullable<HandlerOptions['onCompleted']>,
): Handler {
  return async (request, sockets) => {
    const startedMs = clock.monotonicMs();
    const response = await handle(request, sockets);
    const isQuiet = response.status < 400 && isProbe(pathnameOf(request.url));
    if (!isQuiet) onCompleted(request, response, clock.monotonicMs() - startedMs);
    return response;
  };
}
