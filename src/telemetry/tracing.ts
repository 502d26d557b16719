/** Spans of requests and programs. A request that is not traced costs a look at one header. */

import {
  type Attributes,
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
import { isSampled, type Parent, parentOf, type Sampling } from './sampling.ts';

interface TracingParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly sampling: Sampling;
  readonly resource: Resource;
  readonly processor: SpanProcessor;
}

/** What a span of a program tells at its end. */
interface ProgramFacts {
  readonly statements: number;
  readonly affectedRows: number;
  readonly isDry: boolean;
  /** Of the problem; undefined where all went well. */
  readonly errorReason: string | undefined;
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
  private readonly drawn = new Uint32Array(1);

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

  /** Undefined for a request that is not traced. `startedMs` is of the steady clock. */
  begin(headers: Headers, startedMs: number, facts: () => RequestFacts): RequestTrace | undefined {
    const parent = parentOf(headers.get('traceparent'));
    if (!isSampled(this.sampling, parent, () => this.chance())) return undefined;
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
      { kind: SpanKind.SERVER, attributes, startTime: startedMs + unixOffsetMs },
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

  /** Hands out what has ended; within the time that exporters have. */
  stop(): Promise<void> {
    return this.provider.shutdown();
  }

  private chance(): number {
    this.random.fill(new Uint8Array(this.drawn.buffer));
    return (this.drawn[0] as number) / 2 ** 32;
  }
}

interface RequestTraceParts {
  readonly span: Span;
  readonly tracer: Tracer;
  readonly requestId: string;
  readonly clock: Clock;
  /** From the steady clock to milliseconds since 1970. */
  readonly unixOffsetMs: number;
}

/** The spans of one request. */
export class RequestTrace {
  private readonly parts: RequestTraceParts;
  private program: Span | undefined;

  constructor(parts: RequestTraceParts) {
    this.parts = parts;
  }

  get requestId(): string {
    return this.parts.requestId;
  }

  get traceId(): string {
    return this.parts.span.spanContext().traceId;
  }

  /** `startedMs` is of the steady clock. */
  programBegan(startedMs: number): void {
    const { tracer, span, requestId, unixOffsetMs } = this.parts;
    const attributes = { request_id: requestId, 'svc.transport': 'http' };
    this.program = tracer.startSpan(
      'svc.program.execute',
      { kind: SpanKind.INTERNAL, attributes, startTime: startedMs + unixOffsetMs },
      trace.setSpan(ROOT_CONTEXT, span),
    );
  }

  programEnded({ statements, affectedRows, isDry, errorReason }: ProgramFacts): void {
    const { program } = this;
    if (program === undefined) return;
    program.setAttributes({
      'svc.program.statement_count': statements,
      'svc.program.affected_rows': affectedRows,
      'svc.program.dry_run': isDry,
      'svc.status': errorReason === undefined ? 'success' : 'error',
      ...(errorReason !== undefined && { 'error.type': errorReason }),
    });
    if (errorReason !== undefined) program.setStatus({ code: SpanStatusCode.ERROR });
    program.end(this.now());
  }

  /** The answer is there. */
  end(status: number): void {
    const { span } = this.parts;
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.now());
  }

  private now(): number {
    const { clock, unixOffsetMs } = this.parts;
    return clock.monotonicMs() + unixOffsetMs;
  }
}

function contextOf(parent: Parent | undefined, state: string | null) {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  const traceFlags = parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceState = state === null ? {} : { traceState: createTraceState(state) };
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...traceState,
  });
}
