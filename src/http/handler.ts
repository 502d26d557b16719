/** Around the application: what is refused before any route is looked at, what is counted, and what is told about it. */

import type { RequestTrace } from '#telemetry';
import { createApp } from './app.ts';
import { type HttpContext, type HttpOptions, httpContext } from './context.ts';
import type { EdgeCounters } from './edge/counters.ts';
import { withHost } from './edge/hostless.ts';
import { pathnameOf } from './edge/parameters.ts';
import { answerFailure } from './edge/reply.ts';
import { type RequestFilter, requestFilter } from './edge/request-filter.ts';
import type { Sockets } from './edge/transport.ts';
import { isProgram, programResponse } from './program/execute.ts';
import { isProbe } from './routes/probes.ts';

export interface HandlerOptions extends HttpOptions {
  /** Answers only requests that were made to a loopback name or address. */
  readonly loopbackOnly: boolean;
  /** The name that the listener was told, which may lead to loopback. */
  readonly ownHost?: string;
  /** Told each answer; leave it out where nobody listens. */
  readonly onCompleted?: (
    request: Request,
    response: Response,
    durationMs: number,
    trace: RequestTrace | undefined,
  ) => void;
}

/** `sockets` is the listener that the request came from. */
export type Handler = (request: Request, sockets?: Sockets) => Response | Promise<Response>;

/** The handler of a listener, and the activity that its orderly stop waits for. */
export function createHandler(options: HandlerOptions): {
  readonly handle: Handler;
  readonly activity: HttpContext['activity'];
  readonly counters: EdgeCounters;
  /** Ports of the clients whose requests are under way. */
  readonly busyPorts: () => ReadonlySet<number>;
} {
  const context = httpContext(options);
  const { onCompleted } = options;
  const handle = handlerOf(context, requestFilter(context, options));
  return {
    handle: onCompleted === undefined ? handle : told(handle, context, onCompleted),
    activity: context.activity,
    counters: context.counters,
    busyPorts: () => context.transport.busyPorts(),
  };
}

function handlerOf(context: HttpContext, filter: RequestFilter): Handler {
  const app = createApp(context);
  const { activity, transport, answers, metrics, tracing, clock } = context;
  const leave = (request: Request) => {
    activity.leave();
    transport.leave(request);
  };
  const answer = async (request: Request, startedMs: number): Promise<Response> => {
    activity.enter();
    transport.enter(request);
    let sending: Promise<void> | undefined;
    try {
      const response = await (isProgram(request)
        ? programResponse(context, request, startedMs)
        : app.fetch(request));
      sending = answers.sending(response);
      return finish(context, request, response, startedMs);
    } catch (error) {
      // Of a program: the application answers what fails on its routes.
      return finish(context, request, answerFailure(context, request, error), startedMs);
    } finally {
      if (sending === undefined) leave(request);
      else void sending.then(() => leave(request));
    }
  };
  return (arrived, sockets) => {
    const request = withHost(arrived);
    if (sockets !== undefined) transport.attach(sockets);
    const startedMs = clock.monotonicMs();
    metrics?.requests.enter();
    if (tracing !== undefined) beginTrace(context, request, startedMs);
    try {
      const settled = filter(request);
      if (settled === undefined) return answer(request, startedMs);
      return finish(context, request, settled, startedMs);
    } catch (error) {
      return finish(context, request, answerFailure(context, request, error), startedMs);
    }
  };
}

/** What every answer gets on its way out. */
function finish(
  context: HttpContext,
  request: Request,
  response: Response,
  startedMs: number,
): Response {
  const { answers, transport, cors, metrics, tracing, traces, clock } = context;
  if (tracing !== undefined) traces.get(request)?.end(response.status);
  if (metrics !== undefined) {
    const seconds = (clock.monotonicMs() - startedMs) / 1000;
    metrics.requests.leave(request.method, response.status, seconds, isQuiet(request, response));
  }
  cors.decorate(request, response);
  if (context.pressure() !== 'normal') response.headers.set('connection', 'close');
  // A stream watches its reader itself; this clock would end a slow but steady one.
  if (answers.sending(response) === undefined) transport.keepAlive(request);
  return response;
}

/** Probes and scrapes leave no trace. */
function beginTrace(context: HttpContext, request: Request, startedMs: number): void {
  const { tracing, traces, transport } = context;
  const path = pathnameOf(request.url);
  if (isProbe(path) || path === '/metrics') return;
  const begun = tracing?.begin(request.headers, startedMs, () => ({
    method: request.method,
    path,
    clientAddress: transport.address(request),
  }));
  if (begun !== undefined) traces.set(request, begun);
}

/** Of probes and scrapes that succeed nobody wants to hear. */
function isQuiet({ method, url }: Request, { status }: Response): boolean {
  if (status >= 400 || (method !== 'GET' && method !== 'HEAD')) return false;
  const pathname = pathnameOf(url);
  return isProbe(pathname) || pathname === '/metrics';
}

function told(
  handle: Handler,
  { clock, traces }: HttpContext,
  onCompleted: NonNullable<HandlerOptions['onCompleted']>,
): Handler {
  return async (arrived, sockets) => {
    const request = withHost(arrived);
    const startedMs = clock.monotonicMs();
    const response = await handle(request, sockets);
    if (!isQuiet(request, response)) {
      onCompleted(request, response, clock.monotonicMs() - startedMs, traces.get(request));
    }
    return response;
  };
}
