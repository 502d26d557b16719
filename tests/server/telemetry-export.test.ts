/** Spans and metrics as a collector gets them, by OTLP over HTTP, and a collector that does not listen. */

import { afterAll, expect, test } from 'bun:test';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code: number };
}
interface Scope {
  readonly spans?: readonly Span[];
  readonly metrics?: readonly { readonly name: string; readonly unit: string }[];
}
interface Batch {
  readonly resource: { readonly attributes: Span['attributes'] };
  readonly scopeSpans?: readonly Scope[];
  readonly scopeMetrics?: readonly Scope[];
}

const batches: Batch[] = [];
const paths = new Set<string>();
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    paths.add(new URL(request.url).pathname);
    const sent = (await request.json()) as Readonly<Record<string, readonly Batch[]>>;
    batches.push(...(sent['resourceSpans'] ?? sent['resourceMetrics'] ?? []));
    return Response.json({});
  },
});
afterAll(() => collector.stop(true));

const endpoint = `http://127.0.0.1:${collector.port}`;
const start = (env: Record<string, string> = {}) =>
  startServerProcess(['--storage', 'memory', '--otel-endpoint', endpoint], { env });

/** A stop hands out everything that has ended. */
async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
}

function taken(): readonly Span[] {
  const spans = batches
    .flatMap(({ scopeSpans }) => scopeSpans ?? [])
    .flatMap((one) => one.spans ?? []);
  batches.length = 0;
  return spans;
}

function attributesOf({ attributes }: Pick<Span, 'attributes'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function query(name: string, of = 'r') {
  const nodes = {
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: [['1']] },
  };
  return { kind: 'query', name, relation: { nodes, root: { node: of, cardinality: 'scalar' } } };
}

function execute(server: ServerProcess, program: object, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(program),
  });
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const three = { statements: ['a', 'b', 'c'].map((name) => query(name)), result: 'c' };

test('a program of three statements: its spans are in the trace of the caller', async () => {
  const server = await start();
  const traceparent = `00-${traceId}-${parentId}-01`;
  expect((await execute(server, three, { traceparent, tracestate: 'k=v' })).status).toBe(200);
  await fetch(`${server.url}/livez`);
  await fetch(`${server.url}/metrics`);
  await stop(server);
  const spans = taken();
  expect(spans.map(({ name }) => name).sort()).toEqual(['http.request', 'svc.program.execute']);
  const request = spans.find(({ name }) => name === 'http.request') as Span;
  const program = spans.find(({ name }) => name === 'svc.program.execute') as Span;
  expect([request.traceId, request.parentSpanId, request.traceState]).toEqual([
    traceId,
    parentId,
    'k=v',
  ]);
  expect([program.traceId, program.parentSpanId]).toEqual([traceId, request.spanId]);
  expect(BigInt(request.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(program.startTimeUnixNano));
  expect(BigInt(program.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(request.endTimeUnixNano));
  expect(attributesOf(request)).toMatchObject({
    'http.request.method': 'POST',
    'url.path': '/execute',
    'client.address': '127.0.0.1',
    'http.response.status_code': 200,
  });
  expect(attributesOf(program)).toMatchObject({
    'svc.transport': 'http',
    'svc.program.statement_count': 3,
    'svc.program.affected_rows': 3,
    'svc.program.dry_run': false,
    'svc.status': 'success',
    request_id: attributesOf(request)['request_id'],
  });
});

test('a program that fails says why', async () => {
  const server = await start();
  expect((await execute(server, { statements: [query('a', 'x')] })).status).toBe(422);
  await stop(server);
  const program = taken().find(({ name }) => name === 'svc.program.execute') as Span;
  expect(attributesOf(program)).toMatchObject({
    'svc.status': 'error',
    'error.type': 'unknown_node',
  });
  expect(program.status.code).toBe(2);
});

test('what the caller does not trace is not traced, and neither is what chance leaves out', async () => {
  const server = await start({
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await execute(server, three, { traceparent: `00-${traceId}-${parentId}-00` });
  await execute(server, three);
  await execute(server, three, { traceparent: `00-${traceId}-${parentId}-01` });
  await stop(server);
  expect(taken().map(({ traceId: id, name }) => [id, name])).toEqual([
    [traceId, 'svc.program.execute'],
    [traceId, 'http.request'],
  ]);
});

test('the instruments of /metrics go to /v1/metrics, with who is speaking', async () => {
  const server = await start({ OTEL_RESOURCE_ATTRIBUTES: 'svc.database.name=shop' });
  await execute(server, three);
  await stop(server);
  expect(paths).toEqual(new Set(['/v1/traces', '/v1/metrics']));
  const batch = batches.find(({ scopeMetrics }) => scopeMetrics !== undefined) as Batch;
  const metrics = batch.scopeMetrics?.flatMap((one) => one.metrics ?? []) ?? [];
  expect(metrics.find(({ name }) => name === 'svc.program.duration')?.unit).toBe('s');
  expect(attributesOf(batch.resource)).toMatchObject({
    'service.name': 'svc',
    'svc.role': 'write',
    'svc.database.name': 'shop',
  });
  batches.length = 0;
});

test('a collector that takes everything and answers nothing holds no answer, and no stop for longer than its bound', async () => {
  const asked = Promise.withResolvers<void>();
  const mute = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const to = `http://127.0.0.1:${mute.port}`;
  const server = await startServerProcess(['--storage', 'memory', '--otel-endpoint', to], {
    // Whoever waited for the collector would wait longer than this test may take.
    env: { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' },
  });
  for (let i = 0; i < 20; i++) expect((await execute(server, three)).status).toBe(200);
  server.kill('SIGTERM');
  await asked.promise;
  expect(await server.exited).toBe(0);
  mute.stop(true);
});

test('a collector that does not listen changes no answer and no stop', async () => {
  const nobody = ['--storage', 'memory', '--otel-endpoint', 'http://127.0.0.1:9'];
  const server = await startServerProcess(nobody);
  for (let i = 0; i < 20; i++) expect((await execute(server, three)).status).toBe(200);
  await stop(server);
});
