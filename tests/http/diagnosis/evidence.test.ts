/** What detailed documents prove: seeks, reads through an index, relations, storage, the trace that the request belongs to. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { type Engine, openEngine } from '#engine';
import { resourceOf, Tracing } from '#telemetry';
import {
  column,
  keyed,
  literal,
  named,
  type Operator,
  openPeople,
  overEngine,
  type Plan,
  read,
  scan,
  told,
} from './support.ts';

const compare = (name: string, op: string, value: object) => ({
  kind: 'binary',
  op,
  left: column(name),
  right: value,
});
const either = (parts: readonly object[]): object =>
  parts.reduce((left, right) => ({ kind: 'binary', op: 'or', left, right }));
const filtered = (name: string, predicate: object) =>
  read(name, { s: scan, f: { kind: 'filter', input: 's', predicate } }, 'f');

function operatorOf(plan: Plan | undefined, name: string): Operator {
  const found = plan?.operatorTrace.operators.find(({ operator }) => operator === name);
  expect(found).toBeDefined();
  return found as Operator;
}

/** Names that hold a third of the rows each, behind an index. */
const tagged = {
  name: 'tagged',
  columns: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'tag', type: 'text', nullable: false },
    { name: 'note', type: 'text', nullable: false },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'by_tag', columns: ['tag'] }],
};

async function openTagged(rows: number) {
  const people = await openPeople();
  await people.makeTable(tagged);
  const columns = tagged.columns.map(({ name, type }) => ({ name, type }));
  for (let from = 0; from < rows; from += 1_000) {
    const values = [...new Array(Math.min(1_000, rows - from)).keys()].map((i) => [
      String(from + i),
      `tag ${(from + i) % 200}`,
      'n'.repeat(50),
    ]);
    const nodes = { r: { kind: 'rows', scope: 'r', columns, rows: values } };
    const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
    const made = await people.ask(undefined, [
      { kind: 'create', name: 'fill', table: 'tagged', relation },
    ]);
    expect(made.status).toBe(200);
  }
  return people;
}

const ofTag = (tag: string) =>
  read(
    'of_tag',
    {
      s: { kind: 'scan', table: 'tagged', scope: 'p' },
      f: { kind: 'filter', input: 's', predicate: compare('tag', 'eq', literal('text', tag)) },
    },
    'f',
  );

describe('a scan', () => {
  test('of more than 16 ranges tells of 16, and counts the others', async () => {
    const { ask, makeTable, close } = await openPeople();
    const ids = { name: 'pairs', primary_key: ['id', 'name'] };
    await makeTable({
      ...ids,
      columns: [
        { name: 'id', type: 'int64', nullable: false },
        { name: 'name', type: 'text', nullable: false },
      ],
    });
    const some = [...new Array(19).keys()].map((i) =>
      compare('id', 'eq', literal('int64', `${i}`)),
    );
    const query = read(
      'some',
      {
        s: { kind: 'scan', table: 'pairs', scope: 'p' },
        f: { kind: 'filter', input: 's', predicate: either(some) },
      },
      'f',
    );
    const [plan] = told(await ask('detailed', [query])).plans as [Plan];
    const [record] = plan.logicalScans.scans;
    expect(record?.seeks).toHaveLength(16);
    expect(record?.['seeksDropped']).toBe(3);
    // Each has bounds of its own.
    expect(new Set(record?.seeks.map(({ from }) => JSON.stringify(from))).size).toBe(16);
    await close();
  });

  test('by an index tells of its entries and of the rows that it fetched', async () => {
    const { ask, close } = await openTagged(2_000);
    const [plan] = told(await ask('detailed', [ofTag('tag 7')])).plans as [Plan];
    expect(plan.text).toContain('index by_tag');
    expect(operatorOf(plan, 'scan')).toMatchObject({
      indexEntriesVisited: 10,
      indexBaseRowReads: 10,
      indexPeakBaseRowReadConcurrency: 1,
      outputRows: 10,
      complete: true,
    });
    await close();
  });

  test('by an index that holds all that is read fetches no rows', async () => {
    const { ask, close } = await openTagged(2_000);
    const { nodes } = ofTag('tag 7').relation;
    const fields = [{ as: 'id', expr: column('id') }];
    const only = { ...nodes, only: { kind: 'project', input: 'ordered', fields } };
    const relation = { nodes: only, root: { node: 'only', cardinality: 'many' } };
    const alone = { kind: 'query', name: 'alone', relation };
    const [plan] = told(await ask('detailed', [alone])).plans as [Plan];
    expect(plan.text).toContain('from the index alone');
    expect(operatorOf(plan, 'scan')).toMatchObject({
      indexEntriesVisited: 10,
      indexBaseRowReads: 0,
      outputRows: 10,
    });
    await close();
  });

  test('of the table has no members of indexes', async () => {
    const { ask, close } = await openPeople();
    const [plan] = told(await ask('detailed', [named])).plans as [Plan];
    expect(Object.keys(operatorOf(plan, 'scan')).filter((it) => /^index/.test(it))).toEqual([]);
    await close();
  });
});

test('a relation has one fingerprint in all programs of a family, and another one in others', async () => {
  const { ask, close } = await openPeople();
  const of = async (predicate: object) => {
    const [plan] = told(await ask('detailed', [filtered('f', predicate)])).plans as [Plan];
    return operatorOf(plan, 'filter')['relationFingerprint'] as string;
  };
  const seven = await of(compare('name', 'eq', literal('text', 'seven')));
  expect(seven).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await of(compare('name', 'eq', literal('text', 'eight')))).toBe(seven);
  expect(await of(compare('name', 'ne', literal('text', 'seven')))).not.toBe(seven);
  await close();
});

test('the trace that the request belongs to is named, with the request as spans name it', async () => {
  const { clock, random } = systemWorld();
  const tracing = new Tracing({
    clock,
    random,
    sampling: { parentBased: true, ratio: 0 },
    resource: resourceOf({}),
    processor: {
      onStart: () => {},
      onEnd: () => {},
      forceFlush: async () => {},
      shutdown: async () => {},
    },
  });
  const { ask, close } = await openPeople('full', { tracing });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const withFlags = (flags: string) => ({
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` },
  });
  expect(told(await ask('summary', [keyed], withFlags('01')))['traceId']).toBe(traceId);
  const problem = await ask('summary', '{', withFlags('01'));
  expect(problem.status).toBe(400);
  expect(told(problem)['traceId']).toBe(traceId);
  expect(told(await ask('summary', [keyed], withFlags('00')))).not.toHaveProperty('traceId');
  expect(told(await ask('summary', [keyed]))).not.toHaveProperty('traceId');
  await close();
});

describe('reads of the storage', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-diagnosis-'));
  let engine: Engine;
  const open = () =>
    openEngine({
      storage: 'file',
      path: join(directory, 'store'),
      mode: 'direct',
      world: systemWorld(),
      // Every commit becomes a table.
      tuning: { cacheBytes: 16 << 20, memtableBytes: 1 },
      programMemoryBytes: 256 << 20,
      statementTimeoutMs: 0,
      concurrency: 8,
      queueMax: 64,
      holderAddress: 'test',
    });

  beforeAll(async () => {
    const filled = await openPeople('full', { engine: await open() });
    // Seeding was the last commit: when its memtable is gone, all of it lies in blocks.
    while (filled.engine.storeStatistics().memtables.count > 1) await new Promise(setImmediate);
    await filled.close();
    engine = await open();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true });
  });

  test('are from the place first, and from memory then', async () => {
    const { ask } = overEngine(engine);
    const ofRead = async () => {
      const [plan] = told(await ask('detailed', [keyed])).plans as [Plan];
      return plan.physicalStorage as Readonly<Record<string, Readonly<Record<string, number>>>>;
    };
    const cold = await ofRead();
    expect(cold['memoryCache']?.['misses']).toBeGreaterThan(0);
    expect(cold['backingReads']?.['calls']).toBeGreaterThan(0);
    expect(cold['backingReads']?.['bytes']).toBeGreaterThan(0);
    expect(cold['localCache']).toEqual({ hits: 0, misses: 0 });
    const warm = await ofRead();
    expect(warm['memoryCache']?.['misses']).toBe(0);
    expect(warm['memoryCache']?.['hits']).toBeGreaterThan(0);
    expect(warm['backingReads']).toEqual({ calls: 0, bytes: 0, micros: 0 });
  });
});
