/** Spans and metrics as a collector gets them, by OTLP over HTTP, and a collector that does not listen. */

import { afterAll, expect, test } from 'bun:test';
import { OtlpCollector, type Span } from '../support/otlp-collector.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const collector = new OtlpCollector();
afterAll(() => collector.stop());

const start = (env: Record<string, string> = {}) =>
  startServerProcess(['--storage', 'memory', '--otel-endpoint', collector.endpoint], { env });

/** A stop hands out everything that has ended. */
async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
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
  const spans = collector.takeSpans();
  const request = spans.find(({ name }) => name === 'http.request') as Span;
  const program = spans.find(({ name }) => name === 'svc.program.execute') as Span;
  expect([request.traceId, request.parentSpanId, request.traceState]).toEqual([
    traceId,
    parentId,
    'k=v',
  ]);
  expect([program.traceId, program.parentSpanId]).toEqual([traceId, request.spanId]);
  expect(request.beganNs <= program.beganNs && program.endedNs <= request.endedNs).toBe(true);
  expect(request.attributes).toMatchObject({
    'http.request.method': 'POST',
    'url.path': '/execute',
    'client.address': '127.0.0.1',
    'http.response.status_code': 200,
  });
  expect(program.attributes).toMatchObject({
    'svc.transport': 'http',
    'svc.program.statement_count': 3,
    'svc.program.affected_rows': 3,
    'svc.program.dry_run': false,
    'svc.status': 'success',
    request_id: request.attributes['request_id'],
  });
});

test('a program that fails says why', async () => {
  const server = await start();
  expect((await execute(server, { statements: [query('a', 'x')] })).status).toBe(422);
  await stop(server);
  const program = collector.takeSpans().find(({ name }) => name === 'svc.program.execute') as Span;
  expect(program.attributes).toMatchObject({
    'svc.status': 'error',
    'error.type': 'unknown_node',
  });
  expect(program.status).toBe(2);
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
  const spans = collector.takeSpans();
  expect(new Set(spans.map(({ traceId: id }) => id))).toEqual(new Set([traceId]));
  expect(spans.filter(({ name }) => name === 'http.request')).toHaveLength(1);
});

test('the instruments of /metrics go to /v1/metrics, with who is speaking', async () => {
  const server = await start({ OTEL_RESOURCE_ATTRIBUTES: 'svc.database.name=shop' });
  await execute(server, three);
  await stop(server);
  expect(collector.paths).toEqual(new Set(['/v1/traces', '/v1/metrics']));
  const duration = collector.metrics.findLast(({ name }) => name === 'svc.program.duration');
  expect(duration?.unit).toBe('s');
  expect(duration?.resource).toMatchObject({
    'service.name': 'svc',
    'svc.role': 'write',
    'svc.database.name': 'shop',
  });
  expect(collector.refused).toEqual([]);
});

test('a disabled SDK sends neither traces nor metrics, and /metrics answers', async () => {
  const own = new OtlpCollector();
  const server = await startServerProcess(
    ['--storage', 'memory', '--otel-endpoint', own.endpoint],
    { env: { OTEL_SDK_DISABLED: 'True' } },
  );
  const traceparent = `00-${traceId}-${parentId}-01`;
  expect((await execute(server, three, { traceparent })).status).toBe(200);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('svc_program_duration');
  await stop(server);
  expect(own.paths).toEqual(new Set());
  await own.stop();
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

test('a collector that goes away under load changes no answer', async () => {
  const own = new OtlpCollector();
  const server = await startServerProcess(['--storage', 'memory', '--otel-endpoint', own.endpoint]);
  const answers = async () =>
    Promise.all(Array.from({ length: 200 }, async () => (await execute(server, three)).text()));
  // More spans than one request to the collector takes: some are on their way when the collector goes.
  const before = await answers();
  await own.stop();
  const after = await answers();
  expect(new Set([...before, ...after]).size).toBe(1);
  expect(before[0]).toContain('"result":1');
  await stop(server);
});

test('a collector that does not listen changes no answer and no stop', async () => {
  const nobody = ['--storage', 'memory', '--otel-endpoint', 'http://127.0.0.1:9'];
  const server = await startServerProcess(nobody);
  for (let i = 0; i < 20; i++) expect((await execute(server, three)).status).toBe(200);
  await stop(server);
});
