/** Creates the spans of requests and programs. For a request that is not traced, it only reads one header. */

import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { AlwaysOnSampler, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Clock, Random } from '#base';
import { redactedAttributes, redactedState } from './redacted.ts';
import { isSampled, type Parent, parentOf, type Sampling } from './sampling.ts';

interface TracingParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly sampling: Sampling;
  readonly resource: Resource;
  readonly processor: SpanProcessor;
}

/** A finished piece of work. Times are in milliseconds of the monotonic clock. */
export interface Work {
  readonly name: string;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  /** Events that occurred during the work. They are recorded with its end time. */
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** The type of the error, or `undefined` if the work succeeded. */
  readonly errorType?: string | undefined;
}

interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly clientAddress: string | undefined;
}

export class Tracing {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly sampling: Sampling;
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  constructor({ clock, random, sampling, resource, processor }: TracingParts) {
    this.clock = clock;
    this.random = random;
    this.sampling = sampling;
    const spanProcessors = [processor];
    this.provider = new TracerProvider({
      resource,
      spanProcessors,
      sampler: new AlwaysOnSampler(),
    });
    this.tracer = this.provider.getTracer('svc');
  }

  /**
   * Starts the span of a request. Returns `undefined` if the request is not traced. `startedMs` is a time of the
   * monotonic clock.
   */
  begin(headers: Headers, startedMs: number, facts: () => RequestFacts): RequestTrace | undefined {
    const parent = parentOf(headers.get('traceparent'));
    if (!isSampled(this.sampling, parent, () => this.random.unit())) return undefined;
    const unixOffsetMs = this.clock.unixMs() - this.clock.monotonicMs();
    const { method, path, clientAddress } = facts();
    const requestId = this.random.fill(new Uint8Array(8)).toHex();
    const attributes: Attributes = {
      request_id: requestId,
      'http.request.method': method,
      'url.path': path,
      ...(clientAddress !== undefined && { 'client.address': clientAddress }),
    };
    const span = this.tracer.startSpan(
      'http.request',
      {
        kind: SpanKind.SERVER,
        attributes: redactedAttributes(attributes),
        startTime: startedMs + unixOffsetMs,
      },
      contextOf(parent, headers.get('tracestate')),
    );
    return new RequestTrace({
      span,
      tracer: this.tracer,
      requestId,
      clock: this.clock,
      unixOffsetMs,
    });
  }

  /** Records background work, which belongs to no request. The work becomes a separate trace, with the probability of the sampler. */
  background(work: Work): void {
    if (!isSampled(this.sampling, undefined, () => this.random.unit())) return;
    const unixOffsetMs = this.clock.unixMs() - this.clock.monotonicMs();
    spanOf(work, { tracer: this.tracer, unixOffsetMs, parent: ROOT_CONTEXT });
  }

  /** Exports the spans that have ended, within the timeout of the exporter. */
  stop(): Promise<void> {
    return this.provider.shutdown();
  }
}

interface RequestTraceParts {
  readonly span: Span;
  readonly tracer: Tracer;
  readonly requestId: string;
  readonly clock: Clock;
  /** Offset from the monotonic clock to milliseconds since 1970. */
  readonly unixOffsetMs: number;
}

/** The spans of one request. */
export class RequestTrace {
  private readonly parts: RequestTraceParts;

  constructor(parts: RequestTraceParts) {
    this.parts = parts;
  }

  get requestId(): string {
    return this.parts.requestId;
  }

  get traceId(): string {
    return this.parts.span.spanContext().traceId;
  }

  get spanId(): string {
    return this.parts.span.spanContext().spanId;
  }

  /**
   * Records finished work as a span below `above`, or below the span of the request if `above` is absent. Returns the
   * context for child spans.
   */
  tell(work: Work, above?: Context): Context {
    const { tracer, span, unixOffsetMs } = this.parts;
    const parent = above ?? trace.setSpan(ROOT_CONTEXT, span);
    return spanOf(work, { tracer, unixOffsetMs, parent });
  }

  /** Ends the span of the request when the response is ready. */
  end(status: number): void {
    const { span, clock, unixOffsetMs } = this.parts;
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(clock.monotonicMs() + unixOffsetMs);
  }
}

interface SpanParts {
  readonly tracer: Tracer;
  readonly unixOffsetMs: number;
  readonly parent: Context;
}

function spanOf(work: Work, { tracer, unixOffsetMs, parent }: SpanParts): Context {
  const { name, beganMs, endedMs, attributes, events, errorType } = work;
  const status = errorType === undefined ? 'success' : 'error';
  const span = tracer.startSpan(
    name,
    {
      kind: SpanKind.INTERNAL,
      startTime: beganMs + unixOffsetMs,
      attributes: redactedAttributes({
        ...attributes,
        'svc.status': status,
        ...(errorType !== undefined && { 'error.type': errorType }),
      }),
    },
    parent,
  );
  const endTime = endedMs + unixOffsetMs;
  for (const event of events ?? []) {
    span.addEvent(event.name, redactedAttributes(event.attributes), endTime);
  }
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endTime);
  return trace.setSpan(parent, span);
}

function contextOf(parent: Parent | undefined, state: string | null) {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  const traceFlags = parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const kept = redactedState(state);
  const traceState = kept === undefined ? {} : { traceState: createTraceState(kept) };
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...traceState,
  });
}
