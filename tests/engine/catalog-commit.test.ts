/** What a commit of a catalog writes of its tables is made in pieces, before it is written. */

import { expect, test } from 'bun:test';
import { neverYield, runWithoutWaiting } from '#base';
import {
  type Catalog,
  emptyCatalog,
  encodeCatalog,
  renderAheadSteps,
  schemaHash,
  type Table,
} from '#catalog';
import { Database } from '../../src/engine/database.ts';
import { catalogOf, users } from '../catalog/support.ts';

const [table] = catalogOf(users).tables as [Table];

/** So many tables that nobody has looked at, and how often somebody looks at their columns. */
function manyTables(count: number) {
  const seen = { reads: 0 };
  const tables = Array.from({ length: count }, (_, i) => {
    const copy = { ...table, id: i + 1, name: `t${i}` };
    return Object.defineProperty(copy, 'columns', {
      enumerable: true,
      get: () => {
        seen.reads++;
        return table.columns;
      },
    });
  });
  const catalog: Catalog = { ...emptyCatalog, version: 1, tables };
  return { catalog, seen };
}

/** The most that was looked at between two looks at the clock. */
function mostAtOnce(seen: { reads: number }) {
  let work = 0;
  let before = 0;
  const told = { most: 0 };
  const pause = (rows: number) => {
    work += rows;
    if (work < 1024) return undefined;
    told.most = Math.max(told.most, seen.reads - before);
    before = seen.reads;
    work = 0;
    return undefined;
  };
  return { pace: { ...neverYield, pause }, told, rest: () => seen.reads - before };
}

test('a catalog of many new tables is gone through a few tables at a time, and then written without looking at them', () => {
  const { catalog, seen } = manyTables(2000);
  const { pace, told } = mostAtOnce(seen);
  runWithoutWaiting(renderAheadSteps([catalog], pace));
  const { reads } = seen;
  expect(told.most).toBeGreaterThan(0);
  expect(told.most).toBeLessThan(reads / 40);
  encodeCatalog(catalog);
  schemaHash(catalog);
  expect(seen.reads).toBe(reads);
});

test('a program that makes many tables gives way before its commit writes them', async () => {
  const { catalog, seen } = manyTables(2000);
  const { pace, told, rest } = mostAtOnce(seen);
  const clock = { unixMs: () => 1, monotonicMs: () => 1 };
  const database = new Database({ world: { clock }, catalog: emptyCatalog } as never, 0);
  const keys: Uint8Array[] = [];
  const transaction = { put: (key: Uint8Array) => void keys.push(key) };
  const plan = { catalog: emptyCatalog, catalogAfter: catalog, statements: [] };
  const written = await database.writeCatalog(plan as never, transaction as never, pace);
  expect(written?.tables).toBe(catalog.tables);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(told.most).toBeLessThan(seen.reads / 40);
  expect(rest()).toBeLessThan(seen.reads / 40);
});
