/** `/metrics` of a server that works: what happened is counted, scrapes leave no trace, and nothing of a user's is an attribute. */

import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { durationBounds, rowBounds } from '#observe';
import { metricsPage } from '#server';
import { startServerProcess } from '../../support/server-process.ts';
import { promtoolCheck } from './promtool.ts';

const server = await startServerProcess(['--storage', 'memory']);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exited;
});

const table = {
  name: 'secretive',
  columns: [{ name: 'hidden', type: 'int64' }],
  primary_key: ['hidden'],
};

function read(of: string) {
  return {
    statements: [
      {
        kind: 'query',
        name: 'concealed',
        relation: {
          nodes: {
            s: { kind: 'scan', table: of, scope: 's' },
            o: {
              kind: 'order',
              input: 's',
              terms: [{ expr: { kind: 'col', scope: 's', column: 'hidden' } }],
            },
          },
          root: { node: 'o', cardinality: 'many' },
        },
      },
    ],
  };
}

async function send(method: string, path: string, body?: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, { method, headers, ...sent });
  await answer.text();
  return answer.status;
}

/** Value by name and attributes, as they stand in the text. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${server.url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const values = new Map<string, number>();
  for (const line of (await answer.text()).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const parts = /^([a-z_][a-z0-9_]*(?:\{[^{}]*\})?) (-?[0-9.e+-]+|[+-]Inf|NaN)$/.exec(line);
    expect([line, parts === null]).toEqual([line, false]);
    values.set(parts?.[1] as string, Number(parts?.[2]));
  }
  return values;
}

const programs = (status: string) =>
  `svc_program_executions_total{svc_transport="http",svc_status="${status}",svc_program_dry_run="false"}`;
const requests = (method: string, status: number) =>
  `http_server_requests_total{http_request_method="${method}",http_response_status_code="${status}"}`;

test('requests, programs, lookups and commits are counted', async () => {
  expect(await send('POST', '/tables', table)).toBe(200);
  expect(await send('POST', '/execute', read('secretive'))).toBe(200);
  expect(await send('POST', '/execute', read('secretive'))).toBe(200);
  expect(await send('POST', '/execute', read('nowhere'))).toBe(422);
  expect(await send('GET', '/nowhere')).toBe(404);
  const found = await scrape();
  const of = (name: string) => found.get(name);
  expect(of(requests('POST', 200))).toBe(3);
  expect(of(requests('POST', 422))).toBe(1);
  expect(of(requests('GET', 404))).toBe(1);
  expect(of(programs('success'))).toBe(2);
  expect(of(programs('error'))).toBe(1);
  expect(of('svc_program_template_lookups_total{result="hit"}')).toBe(1);
  expect(of('svc_transaction_completions_total{outcome="commit"}')).toBeGreaterThan(0);
  expect(of('svc_process_memory_rss_bytes')).toBeGreaterThan(1e6);
  expect(of('svc_storage_available')).toBe(1);
  // The row of the catalog is there; nothing is in tables yet that a cache could hold.
  expect(of('svc_storage_memory_bytes{kind="memtable"}')).toBeGreaterThan(100);
  expect(of('svc_storage_memory_bytes{kind="data_cache"}')).toBe(0);
  expect(of('svc_schema_transitions{state="active"}')).toBe(0);
});

test('probes and scrapes that succeed are not; those that fail are', async () => {
  const before = await scrape();
  for (const path of ['/livez', '/readyz', '/startupz']) expect(await send('GET', path)).toBe(200);
  const after = await scrape();
  expect(after.get(requests('GET', 200))).toBe(before.get(requests('GET', 200)));
});

test('no attribute carries what a user has named', async () => {
  const values: Record<string, Set<string>> = {};
  for (const name of (await scrape()).keys()) {
    for (const [, key, value] of name.matchAll(/(\w+)="([^"]*)"/g)) {
      values[key as string] = (values[key as string] ?? new Set()).add(value as string);
    }
  }
  const all = JSON.stringify(Object.values(values).map((some) => [...some]));
  for (const name of ['secretive', 'hidden', 'concealed', 'nowhere', '127.0.0.1']) {
    expect(all).not.toContain(name);
  }
  for (const [key, some] of Object.entries(values)) {
    // Bounds of buckets are fixed: docs/metrics.md lists them.
    const sizeMax = key === 'le' ? durationBounds.length + rowBounds.length + 1 : 20;
    expect([key, some.size <= sizeMax]).toEqual([key, true]);
  }
});

promtoolCheck(
  'promtool check metrics finds nothing to say',
  async () => (await fetch(`${server.url}/metrics`)).text(),
  'svc_program_executions',
);

describe('docs/metrics.md', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/metrics.md'), 'utf8');

  test('is up to date (bun run build.ts --schemas)', () => {
    expect(page).toBe(metricsPage());
  });

  test('names everything that is scraped', async () => {
    const names = [...(await scrape()).keys()].map((name) => name.replace(/\{.*$/, ''));
    const missing = names.filter(
      (name) =>
        !page.includes(`\`${name.replace(/(?<=_(?:seconds|rows))_(?:count|sum|bucket)$/, '')}\``),
    );
    expect(missing).toEqual([]);
  });
});

test('--metrics false: nothing is there', async () => {
  const silent = await startServerProcess(['--storage', 'memory', '--metrics', 'false']);
  const answer = await fetch(`${silent.url}/metrics`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    reason: 'not_found',
    resource: { kind: 'metrics' },
  });
  silent.kill('SIGTERM');
  await silent.exited;
});
