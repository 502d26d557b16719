/** Histograms of `/metrics`: durations tell a fast server's programs apart, and operators tell how many rows they read and returned. */

import { afterAll, expect, test } from 'bun:test';
import { durationBounds, rowBounds } from '#observe';
import { startServerProcess } from '../../support/server-process.ts';

const server = await startServerProcess(['--storage', 'memory', '--diagnostics', 'full']);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exited;
});

async function send(path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', 'svc-diagnostics': 'full' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, sent);
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

const column = { kind: 'col', scope: 's', column: 'id' };

/** A filter of `rows` scanned rows that only the row 0 passes. */
async function filterOf(rows: number): Promise<void> {
  const values = Array.from({ length: rows }, (_, i) => [String(i), String(i)]);
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'n', type: 'int64' },
  ];
  await send('/tables', { name: 'things', columns, primary_key: ['id'] });
  const source = { kind: 'rows', scope: 'r', columns, rows: values };
  const many = { node: 'r', cardinality: 'many' };
  const relation = { nodes: { r: source }, root: many };
  await send('/execute', {
    statements: [{ kind: 'create', name: 'made', table: 'things', relation }],
  });
  const n = { kind: 'col', scope: 's', column: 'n' };
  // A sum cannot be told from zones and index keys: the filter stays an operator of its own.
  const sum = { kind: 'binary', op: 'add', left: n, right: column };
  const zero = { kind: 'lit', value: { type: 'int64', value: '0' } };
  const predicate = { kind: 'binary', op: 'eq', left: sum, right: zero };
  const nodes = {
    s: { kind: 'scan', table: 'things', scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
    o: { kind: 'order', input: 'f', terms: [{ expr: column }] },
  };
  const query = { nodes, root: { node: 'o', cardinality: 'many' } };
  await send('/execute', { statements: [{ kind: 'query', name: 'read', relation: query }] });
}

test('buckets of durations begin at 50 µs, those of rows at 0', async () => {
  await filterOf(25);
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const boundsOf = (name: string) => [
    ...new Set(
      [...text.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"`, 'gm'))].map(([, le]) => le),
    ),
  ];
  const durations = [...durationBounds.map(String), '+Inf'];
  expect(durations[0]).toBe('0.00005');
  for (const name of [
    'http_server_request_duration_seconds',
    'svc_program_duration_seconds',
    'svc_statement_duration_seconds',
    'svc_planner_duration_seconds',
    'svc_operator_duration_seconds',
    'svc_transaction_duration_seconds',
  ]) {
    expect([name, ...boundsOf(name)]).toEqual([name, ...durations]);
  }
  expect(boundsOf('svc_operator_rows')).toEqual([...rowBounds.map(String), '+Inf']);
  expect(text).toContain('# TYPE svc_operator_rows histogram\n');
  const rows = (direction: string, of: string) =>
    Number(
      new RegExp(
        `^svc_operator_rows_${of}\\{svc_operator_name="filter",direction="${direction}"[^}]*\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1],
    );
  expect([rows('input', 'count'), rows('input', 'sum')]).toEqual([1, 25]);
  expect([rows('output', 'count'), rows('output', 'sum')]).toEqual([1, 1]);
  const bucket = (direction: string, le: string) =>
    text.includes(
      `svc_operator_rows_bucket{svc_operator_name="filter",direction="${direction}",le="${le}"} 1\n`,
    );
  expect([bucket('input', '10'), bucket('input', '100')]).toEqual([false, true]);
  expect([bucket('output', '0'), bucket('output', '1')]).toEqual([false, true]);
});
