/** Attributes of metrics have few values, whatever clients send: every attribute of every series, after hostile traffic. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { OtlpCollector } from '../../support/otlp-collector.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { allowed } from './allowed-attributes.ts';

const seriesMax = 256;

const collector = new OtlpCollector();
let server: ServerProcess;
beforeAll(async () => {
  const flags = ['--storage', 'memory', '--diagnostics', 'full', '--max-queue', '1'];
  server = await startServerProcess([...flags, '--otel-endpoint', collector.endpoint]);
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server.exited;
  await collector.stop();
});

/** Names that no other round has. */
async function hostile(round: string): Promise<void> {
  const of = (what: string) => `${what}${round}`;
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ) => {
    const headers = { 'content-type': 'application/json', ...more };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(server.url + path, { method, headers, ...sent });
    await answer.text();
  };
  const table = {
    name: of('table'),
    columns: [
      { name: of('id'), type: 'int64' },
      { name: of('text'), type: 'text' },
    ],
    primary_key: [of('id')],
    indexes: [{ name: of('index'), columns: [of('text')] }],
  };
  await send('POST', '/tables', table);
  await send('POST', '/tables', { ...table, primary_key: [of('nothing')] });
  const column = (name: string) => ({ kind: 'col', scope: of('scope'), column: of(name) });
  const scan = { kind: 'scan', table: of('table'), scope: of('scope') };
  const order = { kind: 'order', input: of('s'), terms: [{ expr: column('id') }] };
  const relation = {
    nodes: { [of('s')]: scan, [of('o')]: order },
    root: { node: of('o'), cardinality: 'many' },
  };
  const rows = {
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: [
          { name: of('id'), type: 'int64' },
          { name: of('text'), type: 'text' },
        ],
        rows: [['1', of('value')]],
      },
    },
    root: { node: 'r', cardinality: 'many' },
  };
  const create = { kind: 'create', name: of('made'), table: of('table'), relation: rows };
  const query = { kind: 'query', name: of('read'), relation };
  const headers = {
    'svc-diagnostics': 'full',
    'x-svc-application-name': of('application'),
    tracestate: `${of('k')}=${of('v')}`,
    'user-agent': of('agent'),
  };
  await send('POST', '/execute', { statements: [create] }, headers);
  await send('POST', '/execute', { statements: [create] }, headers);
  await send('POST', '/execute', { statements: [query] }, headers);
  await send('POST', '/execute?dry-run=true', { statements: [query] });
  await send('POST', '/execute', { statements: [{ ...query, kind: of('kind') }] });
  await send('POST', '/execute', { statements: [query] }, { 'svc-diagnostics': of('level') });
  const asQuery = { 'content-type': 'application/vnd.svc.lir+json' };
  await send('QUERY', '/execute', relation, { ...asQuery, 'if-none-match': `"${of('tag')}"` });
  await send('QUERY', '/execute', relation, { ...asQuery, 'if-none-match': '*' });
  await send('QUERY', '/execute', { nodes: {} }, { ...asQuery, 'if-none-match': '*' });
  await send('GET', `/${of('path')}`);
  await send('GET', `/tables/${of('table')}`);
  await send('DELETE', `/tables/${of('gone')}`);
  await send('PATCH', `/schema/transitions/${of('tr')}`);
  await send('GET', `/metrics?${of('x')}=${of('y')}`);
  for (const method of [
    'BREW',
    'PROPFIND',
    `X${round.toUpperCase()}`,
    'post',
    'CONNECT',
    'TRACE',
  ]) {
    const client = await openRawClient(server.port);
    client.send(`${method} /${of('raw')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    await client.closed;
  }
}

/** Every series, with its attributes, as a scrape has it. */
async function series(): Promise<readonly string[]> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
}

test('hostile traffic makes no new values, and a second round with other names no new series', async () => {
  await hostile('qzx1');
  const first = await series();
  await hostile('qzx2');
  const second = await series();
  expect(second.filter((one) => !first.includes(one))).toEqual([]);
  expect(second.length).toBeGreaterThan(200);
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  for (const one of second) {
    const name = one.replace(/\{.*/, '');
    // A histogram is one series of OpenTelemetry, whatever its buckets.
    if (!/,?le="/.test(one)) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const [, key, value] of one.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) {
      if (allowed[key as string]?.test(value as string) !== true)
        wrong.push(`${name} ${key}=${value}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(seriesMax);
  // Operators and calls of the store are told of, for everything is traced here.
  expect(
    second.some((one) => one.startsWith('svc_operator_rows_count{svc_operator_name="scan"')),
  ).toBe(true);
  expect(second.join('\n')).not.toContain('qzx');
});

test('what goes to a collector has no other attributes', async () => {
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(collector.refused).toEqual([]);
  const wrong: string[] = [];
  for (const { name, points } of collector.metrics) {
    expect([name, points.length <= seriesMax]).toEqual([name, true]);
    for (const [key, value] of points.flatMap((point) => Object.entries(point))) {
      if (allowed[key.replaceAll('.', '_')]?.test(String(value)) !== true)
        wrong.push(`${name} ${key}=${value}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(collector.metrics.length).toBeGreaterThan(80);
});
