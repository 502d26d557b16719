/** A program with little memory writes more than its memory: its writes go to disk before they take the memory of its operators. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openSpillSpace } from '#storage';
import { createFilled, memoryEngine, resultOf } from './support/memory-engine.ts';

const id = { kind: 'col', scope: 'a', column: 'id' };
const scan = { kind: 'scan', table: 't', scope: 'a' };
const number = (value: number) => ({
  kind: 'lit',
  value: { type: 'int64', value: String(value) },
});

/** Copies the rows of the table to the ids from `count` on. */
function doubled(count: number) {
  const copies = {
    kind: 'project',
    input: 'a',
    fields: [
      { as: 'id', expr: { kind: 'binary', op: 'add', left: id, right: number(count) } },
      { as: 's', expr: { kind: 'col', scope: 'a', column: 's' } },
    ],
  };
  const relation = { nodes: { a: scan, p: copies }, root: { node: 'p', cardinality: 'many' } };
  return { kind: 'create', name: 'c', table: 't', relation };
}

const counting = {
  kind: 'query',
  name: 'n',
  relation: {
    nodes: { a: scan, g: { kind: 'aggregate', input: 'a', aggs: [{ as: 'n', fn: 'count' }] } },
    root: { node: 'g', cardinality: 'first' },
  },
};

test('a program of 16 MiB creates 25 MiB of rows', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-write-share-'));
  const world = systemWorld();
  const openSpill = () =>
    openSpillSpace(join(path, 'tmp/spill'), world.random, { limitBytes: undefined });
  const engine = await memoryEngine({
    storage: 'file',
    path,
    programMemoryBytes: 16 << 20,
    openSpill,
  });
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 's', type: 'text' },
  ];
  const first = Array.from({ length: 200 }, (_, i) => [String(i), String(i).repeat(400)]);
  await createFilled(engine, { name: 't', columns }, first);
  let count = first.length;
  for (; count < 51_200; count *= 2) {
    const { rows } = (await resultOf(engine, [doubled(count), counting], 'n')) ?? {};
    expect(rows).toEqual([[2 * count]]);
  }
  await engine.close();
  rmSync(path, { recursive: true });
});
