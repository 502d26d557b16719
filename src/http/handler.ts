/** The request handler around the application: refuses requests before routing, counts them and reports them. */

import type { RequestTrace } from '#telemetry';
import { createApp } from './app.ts';
import { type HttpContext, type HttpOptions, httpContext } from './context.ts';
import type { EdgeCounters } from './edge/counters.ts';
import type { HostRules } from './edge/host.ts';
import { withHost } from './edge/hostless.ts';
import { pathnameOf } from './edge/parameters.ts';
import { answerFailure } from './edge/reply.ts';
import { type RequestFilter, requestFilter } from './edge/request-filter.ts';
import { routable } from './edge/routable.ts';
import type { Sockets } from './edge/transport.ts';
import { isProgram, programResponse } from './program/execute.ts';
import { isProbe } from './routes/probes.ts';

export interface HandlerOptions extends HttpOptions, HostRules {
  /** Whether requests, except probes, must come from a trusted proxy. */
  readonly requiresProxy?: boolean;
  /** Called for each response. Leave it out if no caller needs it. */
  readonly onCompleted?: (
    request: Request,
    response: Response,
    durationMs: number,
    trace: RequestTrace | undefined,
  ) => void;
}

/** `sockets` is the listener that received the request. */
export type Handler = (request: Request, sockets?: Sockets) => Response | Promise<Response>;

const noHeaders = new Headers();
/** One year. */
const strictTransport = 'max-age=31536000';

/** Creates the handler of a listener, and the activity that its shutdown waits for. */
export function createHandler(options: HandlerOptions): {
  readonly handle: Handler;
  readonly activity: HttpContext['activity'];
  readonly counters: EdgeCounters;
  /** Returns the ports of clients with a request in progress. */
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
  const { activity, transport, answers, metrics, clock } = context;
  const leave = (request: Request) => {
    activity.leave();
    transport.leave(request);
  };
  const { traced, admitted } = tracedAdmission(context);
  const answer = async (request: Request, startedMs: number): Promise<Response> => {
    activity.enter();
    transport.enter(request);
    let sending: Promise<void> | undefined;
    try {
      const admitting = admitted(request, startedMs);
      if (admitting !== undefined) await admitting;
      const endChange = context.audit?.begin(request);
      const response = await (isProgram(request)
        ? programResponse(context, request, startedMs)
        : app.fetch(routable(request)));
      endChange?.(response);
      sending = answers.sending(response);
      return finish(context, request, response, startedMs);
    } catch (error) {
      // The error of a program. The application itself handles the errors of its routes.
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
    try {
      const settled = filter(request);
      if (settled === undefined) return answer(request, startedMs);
      traced(request, startedMs);
      return finish(context, request, settled, startedMs);
    } catch (error) {
      traced(request, startedMs);
      return finish(context, request, answerFailure(context, request, error), startedMs);
    }
  };
}

/** Returns how a request is admitted. Its trace starts when it is known whether the client is. */
function tracedAdmission(context: HttpContext) {
  const { authority, tracing } = context;
  const traced = (request: Request, startedMs: number) => {
    if (tracing !== undefined) beginTrace(context, request, startedMs);
  };
  const admitted = (request: Request, startedMs: number): Promise<void> | undefined => {
    let admitting: Promise<void> | undefined;
    try {
      admitting = authority.admit(request);
    } finally {
      if (admitting === undefined) traced(request, startedMs);
    }
    return admitting?.finally(() => traced(request, startedMs));
  };
  return { traced, admitted };
}

/** Adds the headers and the accounting of every response. */
function finish(
  context: HttpContext,
  request: Request,
  response: Response,
  startedMs: number,
): Response {
  const { answers, transport, cors, metrics, tracing, traces, clock } = context;
  const isStrict = context.secureTransport?.isStrict === true;
  if (tracing !== undefined) traces.get(request)?.end(response.status);
  if (metrics !== undefined) {
    const seconds = (clock.monotonicMs() - startedMs) / 1000;
    metrics.requests.leave(request.method, response.status, seconds, isQuiet(request, response));
  }
  cors.decorate(request, response);
  if (isStrict) response.headers.set('strict-transport-security', strictTransport);
  if (context.pressure() !== 'normal') response.headers.set('connection', 'close');
  // A stream watches its client itself. The idle timeout would end a slow but steady client.
  if (answers.sending(response) === undefined) transport.keepAlive(request);
  return response;
}

/**
 * Starts the trace of a request. Probes and scrapes are not traced. Only an admitted client continues its own trace, because its header also
 * decides whether the request is traced.
 */
function beginTrace(context: HttpContext, request: Request, startedMs: number): void {
  const { tracing, traces, transport, authority } = context;
  const path = pathnameOf(request.url);
  if (isProbe(path) || path === '/metrics') return;
  const headers = authority.hasAdmitted(request) ? request.headers : noHeaders;
  const begun = tracing?.begin(headers, startedMs, () => ({
    method: request.method,
    path,
    clientAddress: transport.address(request),
  }));
  if (begun !== undefined) traces.set(request, begun);
}

/** Returns whether the response is that of a successful probe or scrape, which are not reported. */
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
