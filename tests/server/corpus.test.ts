/** A process that keeps programs for replay, stopped and killed. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const row = (value: number) => ({
  kind: 'rows',
  scope: 'r',
  columns: [{ name: 'id', type: 'int64', nullable: false }],
  rows: [[`${value}`]],
});
const order = [{ expr: { kind: 'col', scope: 's', column: 'id' } }];
const all = {
  s: { kind: 'scan', table: 't', scope: 's' },
  o: { kind: 'order', input: 's', terms: order },
};
const table = { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };

async function post({ url }: ServerProcess, statement: object): Promise<unknown> {
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements: [{ name: 'a', ...statement }] }),
  });
  const { result } = (await response.json()) as { readonly result: unknown };
  expect(response.status).toBe(200);
  return result;
}

function create(server: ServerProcess, value: number): Promise<unknown> {
  const relation = { nodes: { r: row(value) }, root: { node: 'r', cardinality: 'many' } };
  return post(server, { kind: 'create', table: 't', relation });
}

async function corpusOf({ url }: ServerProcess) {
  const body = (await (await fetch(`${url}/statistics`)).json()) as {
    readonly corpus: {
      readonly captured: number;
      readonly maintenance: Readonly<Record<string, number>>;
    };
  };
  return body.corpus;
}

test('a kill costs the programs of the last minute, and no rows', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-corpus-'));
  const flags = ['--storage-path', path, '--capture-workload-corpus'];
  const first = await startServerProcess(flags);
  await post(first, { kind: 'create_table', table });
  await create(first, 1);
  first.kill('SIGTERM');
  expect(await first.exited).toBe(0);

  const second = await startServerProcess(flags);
  await create(second, 2);
  expect(await corpusOf(second)).toMatchObject({
    captured: 1,
    maintenance: { retainedPrograms: 2, retainedExecutions: 2 },
  });
  second.kill('SIGKILL');
  await second.exited;

  const third = await startServerProcess(flags);
  expect(await corpusOf(third)).toMatchObject({
    captured: 0,
    maintenance: { retainedPrograms: 2, retainedExecutions: 2, invalidPrograms: 0 },
  });
  const relation = { nodes: all, root: { node: 'o', cardinality: 'many' } };
  expect(await post(third, { kind: 'query', relation })).toEqual([{ id: 1 }, { id: 2 }]);
  third.kill('SIGTERM');
  expect(await third.exited).toBe(0);
  rmSync(path, { recursive: true });
}, 30_000);
