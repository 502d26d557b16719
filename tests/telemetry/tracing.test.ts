/** Spans: which there are, below which one they hang, and when they begin and end. */

import { expect, test } from 'bun:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { samplingOf, Tracing, type Work } from '#telemetry';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const facts = () => ({ method: 'GET', path: '/x', clientAddress: '::1' });

function traced(name = 'always_on', ratio = 1, chance = 0) {
  const ended: ReadableSpan[] = [];
  let isStopped = false;
  const processor = {
    onStart: () => {},
    onEnd: (span: ReadableSpan) => void ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {
      isStopped = true;
    },
  };
  const clock = { unixMs: () => 1_000_500, monotonicMs: () => 500 };
  const random = { unit: () => chance, fill: (bytes: Uint8Array) => bytes.fill(0xab) };
  const tracing = new Tracing({
    clock,
    random: random as never,
    sampling: samplingOf(name, ratio),
    resource: emptyResource(),
    processor,
  });
  return { tracing, ended, isStopped: () => isStopped };
}

const work = (more: Partial<Work> = {}): Work => ({
  name: 'plan',
  beganMs: 100,
  endedMs: 160,
  attributes: { a: 1 },
  ...more,
});
const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1e3 + nanoseconds / 1e6;

test('a request that is not sampled has no trace, and nobody asks for its facts', () => {
  const { tracing, ended } = traced('always_off');
  const asked = () => {
    throw new Error('asked');
  };
  expect(tracing.begin(new Headers(), 1, asked)).toBeUndefined();
  tracing.background(work());
  expect(ended).toEqual([]);
});

test('a request begins a trace of its own, with what is known of it', () => {
  const { tracing, ended } = traced();
  const trace = tracing.begin(new Headers(), 100, facts);
  expect(trace?.requestId).toBe('ab'.repeat(8));
  trace?.end(200);
  const [span] = ended as [ReadableSpan];
  expect([span.name, span.kind, span.parentSpanContext]).toEqual([
    'http.request',
    SpanKind.SERVER,
    undefined,
  ]);
  expect(span.attributes).toEqual({
    request_id: 'ab'.repeat(8),
    'http.request.method': 'GET',
    'url.path': '/x',
    'client.address': '::1',
    'http.response.status_code': 200,
  });
  expect([ms(span.startTime), ms(span.endTime)]).toEqual([1_000_100, 1_000_500]);
  expect(span.status.code).toBe(SpanStatusCode.UNSET);
  expect([trace?.traceId, trace?.spanId]).toEqual([
    span.spanContext().traceId,
    span.spanContext().spanId,
  ]);
});

test('without an address of the client there is none', () => {
  const { tracing, ended } = traced();
  tracing.begin(new Headers(), 1, () => ({ ...facts(), clientAddress: undefined }))?.end(200);
  expect(ended[0]?.attributes).not.toHaveProperty('client.address');
});

test.each([
  [499, SpanStatusCode.UNSET],
  [500, SpanStatusCode.ERROR],
  [503, SpanStatusCode.ERROR],
])('a request that is answered with %d', (status, code) => {
  const { tracing, ended } = traced();
  tracing.begin(new Headers(), 1, facts)?.end(status);
  expect(ended[0]?.status.code).toBe(code);
});

test('a request goes on with the trace of its headers', () => {
  const { tracing, ended } = traced('parentbased_always_off');
  const headers = (flags: string) =>
    new Headers({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'v=1' });
  expect(tracing.begin(headers('00'), 1, facts)).toBeUndefined();
  const trace = tracing.begin(headers('01'), 1, facts);
  trace?.tell(work());
  trace?.end(200);
  const [inner, outer] = ended as [ReadableSpan, ReadableSpan];
  expect(trace?.traceId).toBe(traceId);
  expect(outer.parentSpanContext).toMatchObject({ spanId, isRemote: true });
  expect(outer.spanContext().traceState?.serialize()).toBe('v=1');
  expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
});

test('work hangs below the request, or below other work of it', () => {
  const { tracing, ended } = traced();
  const trace = tracing.begin(new Headers(), 1, facts);
  const above = trace?.tell(work({ name: 'outer' }));
  trace?.tell(work({ name: 'inner' }), above);
  const [outer, inner] = ended as [ReadableSpan, ReadableSpan];
  expect(outer.parentSpanContext?.spanId).toBe(trace?.spanId);
  expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  expect([ms(inner.startTime), ms(inner.endTime)]).toEqual([1_000_100, 1_000_160]);
});

test('work says how it ended, and what came out meanwhile', () => {
  const { tracing, ended } = traced('traceidratio', 0.5, 0.4);
  tracing.background(work());
  const events = [{ name: 'retry', attributes: { n: 2 } }];
  tracing.background(work({ errorType: 'overloaded', events }));
  const [well, failed] = ended as [ReadableSpan, ReadableSpan];
  expect([well.kind, well.status.code, well.events]).toEqual([
    SpanKind.INTERNAL,
    SpanStatusCode.UNSET,
    [],
  ]);
  expect(well.attributes).toEqual({ a: 1, 'svc.status': 'success' });
  expect(failed.attributes).toEqual({ a: 1, 'svc.status': 'error', 'error.type': 'overloaded' });
  expect(failed.status.code).toBe(SpanStatusCode.ERROR);
  expect(failed.events).toMatchObject([{ name: 'retry', attributes: { n: 2 } }]);
  expect(ms(failed.events[0]?.time as never)).toBe(1_000_160);
  expect(well.spanContext().traceId).not.toBe(failed.spanContext().traceId);
});

test('a stop hands out what has ended', async () => {
  const { tracing, isStopped } = traced();
  await tracing.stop();
  expect(isStopped()).toBe(true);
});

test('no span contains a secret', () => {
  const { tracing, ended } = traced();
  const key = 'svck_0123456789AB_secret';
  const state = `vendor=${key}`;
  const headers = new Headers({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: state });
  const path = `/auth/keys/${key}`;
  const trace = tracing.begin(headers, 1, () => ({
    method: 'GET',
    path,
    clientAddress: undefined,
  }));
  const attributes = { text: key, list: [key, 'b'], count: 1, flag: true };
  trace?.tell(work({ attributes, events: [{ name: 'e', attributes }], errorType: key }));
  trace?.end(200);
  tracing.background(work({ attributes }));
  const text = JSON.stringify(
    ended.map((span) => [span.attributes, span.events, span.spanContext().traceState?.serialize()]),
  );
  expect(text).not.toContain('secret');
  expect(ended[0]?.attributes).toMatchObject({
    text: '[redacted]',
    list: ['[redacted]', 'b'],
    count: 1,
    flag: true,
  });
  expect(ended[1]?.attributes).toMatchObject({ 'url.path': '/auth/keys/[redacted]' });
});

test('a trace state without a secret remains', () => {
  const { tracing, ended } = traced();
  const headers = new Headers({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=1,b=2' });
  tracing.begin(headers, 1, facts)?.end(200);
  expect(ended[0]?.spanContext().traceState?.serialize()).toBe('a=1,b=2');
});
