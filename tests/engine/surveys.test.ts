/** Which tables are surveyed, and when: those that plans ask about, and those that are due. */

import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Table } from '#catalog';
import { type Engine, openEngine } from '#engine';
import { Surveys, type TableSynopsis } from '#statistics';
import { checkProgram } from '#wire';
import { manualWorld } from '../support/manual-world.ts';
import { surveyedAs } from '../support/synopses.ts';
import { createFilled, memoryEngine } from './support/memory-engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'some', type: 'int64' },
] as const;

const options = { showPlan: true, dryRun: false };

async function opened(world = manualWorld()) {
  const engine = await memoryEngine({ world });
  engines.push(engine);
  return { engine, world };
}

async function create(engine: Engine, name: string, rows: number): Promise<void> {
  const cells = Array.from({ length: rows }, (_, i) => [`${i}`, `${i % 300}`]);
  await createFilled(engine, { name, columns }, cells);
}

/** What the plan of a filter by `some` shows. */
async function shown(engine: Engine, table: string): Promise<string> {
  const left = { kind: 'col', scope: 's', column: 'some' };
  const right = { kind: 'lit', value: { type: 'int64', value: '7' } };
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    f: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
    o: { kind: 'order', input: 'f', terms: [{ expr: { ...left, column: 'id' } }] },
  };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  const statements = [{ kind: 'query', name: 'q', relation }];
  const { plan } = await engine.execute({
    program: () => checkProgram({ statements, result: 'q' }),
    ...options,
  });
  return JSON.stringify(plan);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
}

describe('an engine', () => {
  test('surveys a table soon after a plan has asked, and plans with what was found', async () => {
    const { engine, world } = await opened();
    await create(engine, 't', 3_000);
    expect(await shown(engine, 't')).toContain('~30 rows, assumed');
    world.advance(50);
    await settled();
    const text = await shown(engine, 't');
    expect(text).toContain('~10 rows, surveyed');
    expect(text).toContain('all of 3000 rows, 0 s ago');
    expect(engine.storeStatistics().views).toBe(0);
  });

  test('surveys every table in time, one a check', async () => {
    const { engine, world } = await opened();
    await create(engine, 't', 30);
    await create(engine, 'u', 40);
    const statistics = (engine as unknown as { database: { statistics: Surveys } }).database
      .statistics;
    const [t, u] = engine.catalog.tables as [Table, Table];
    const numbers = () => [statistics.surveyOf(t), statistics.surveyOf(u)];
    world.advance(29_999);
    await settled();
    expect(numbers()).toEqual([0, 0]);
    world.advance(1);
    await settled();
    const [first, none] = numbers();
    expect([first, none]).toEqual([expect.any(Number), 0]);
    expect(first).toBeGreaterThan(0);
    world.advance(30_000);
    await settled();
    expect(numbers()).toEqual([first, expect.any(Number)]);
    expect(numbers()[1]).toBeGreaterThan(0);
  });

  test('counts the rows that are written, and surveys again after 10,000', async () => {
    const { engine, world } = await opened();
    await create(engine, 't', 3_000);
    world.advance(30_000);
    await settled();
    const left = { kind: 'col', scope: 's', column: 'some' };
    const relation = {
      nodes: {
        s: { kind: 'scan', table: 't', scope: 's' },
        p: {
          kind: 'project',
          input: 's',
          scope: 'p',
          fields: [
            { as: 'id', expr: { ...left, column: 'id' } },
            { as: 'some', expr: { kind: 'lit', value: { type: 'int64', value: '1' } } },
          ],
        },
      },
      root: { node: 'p', cardinality: 'many' },
    };
    const update = { kind: 'update', name: 'u', table: 't', relation };
    const updated = () => engine.execute({ program: () => checkProgram({ statements: [update] }) });
    for (let turn = 0; turn < 3; turn++) await updated();
    expect(await shown(engine, 't')).toContain('9000 rows changed since');
    await updated();
    world.advance(30_000);
    await settled();
    expect(await shown(engine, 't')).toContain('all of 3000 rows, 0 s ago |');
  });

  test('surveys nothing when it has stopped', async () => {
    const { engine, world } = await opened();
    await create(engine, 't', 3_000);
    await shown(engine, 't');
    await engine.close();
    engines.length = 0;
    world.advance(60_000);
    await settled();
    expect(world.pending).toEqual([]);
  });
});

test('an engine knows after a start what was surveyed before it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-surveys-'));
  const world = manualWorld();
  const open = async () => {
    const engine = await openEngine({
      ...{ storage: 'file', path, mode: 'direct', world, tuning: { cacheBytes: 1 << 20 } },
      ...{ programMemoryBytes: 64 << 20, statementTimeoutMs: 0, concurrency: 1, queueMax: 1 },
      holderAddress: 'test',
    });
    engines.push(engine);
    return engine;
  };
  try {
    const before = await open();
    await create(before, 't', 3_000);
    await shown(before, 't');
    world.advance(50);
    await settled();
    const plan = await shown(before, 't');
    const [told] = JSON.parse((await before.statisticsText()).join('')).synopses;
    await engines.pop()?.close();
    const after = await open();
    expect(JSON.parse((await after.statisticsText()).join('')).synopses).toEqual([told]);
    expect(await shown(after, 't')).toBe(plan);
    await engines.pop()?.close();
  } finally {
    rmSync(path, { recursive: true });
  }
});

/** Surveys of tables that have so many rows. */
function surveysOf(rows: { now: number }, clock = { now: 0 }) {
  const surveys = new Surveys(
    { entriesIn: () => rows.now },
    { unixMs: () => 0, monotonicMs: () => clock.now },
  );
  return { surveys, clock };
}

const tableOf = (id: number) =>
  ({ id, physicalId: id, name: `t${id}`, columns: [], primaryKey: [] }) as unknown as Table;
const synopsisOf = (table: Table, rows: number): TableSynopsis => surveyedAs(table, rows).synopsis;

describe('a plan that asks', () => {
  test('is a wish once, and again when the table is twice as large, or half', () => {
    const rows = { now: 5_000 };
    const { surveys } = surveysOf(rows);
    const t = tableOf(1);
    let wishes = 0;
    surveys.wished = () => wishes++;
    expect(surveys.surveyed(t)).toBe(undefined);
    expect(surveys.surveyed(t)).toBe(undefined);
    expect([wishes, surveys.wish()]).toEqual([1, t]);
    surveys.found(t, synopsisOf(t, 5_000));
    expect(surveys.wish()).toBe(undefined);
    for (const now of [10_000, 2_500]) {
      rows.now = now;
      expect(surveys.surveyed(t)?.synopsis.tableRows).toBe(5_000);
    }
    expect(surveys.wish()).toBe(undefined);
    rows.now = 10_001;
    surveys.surveyed(t);
    expect(surveys.wish()).toBe(t);
  });

  test('is told nothing of a table that has become another one', () => {
    const rows = { now: 5_000 };
    const { surveys } = surveysOf(rows);
    const t = tableOf(1);
    surveys.found(t, synopsisOf(t, 5_000));
    rows.now = 20_000;
    expect(surveys.surveyed(t)).not.toBe(undefined);
    rows.now = 20_001;
    expect(surveys.surveyed(t)).toBe(undefined);
  });

  test('does not have a handful of rows surveyed', () => {
    const { surveys } = surveysOf({ now: 99 });
    surveys.surveyed(tableOf(1));
    expect(surveys.wish()).toBe(undefined);
  });

  test('has a table that could not be read surveyed when it has grown only', () => {
    const rows = { now: 5_000 };
    const { surveys } = surveysOf(rows);
    const t = tableOf(1);
    surveys.surveyed(t);
    surveys.found(t, undefined);
    expect([surveys.surveyed(t), surveys.wish(), surveys.surveyOf(t)]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    rows.now = 10_001;
    surveys.surveyed(t);
    expect(surveys.wish()).toBe(t);
  });
});

describe('at a check', () => {
  const [t, u, v] = [tableOf(1), tableOf(2), tableOf(3)];

  test('the first table that was never surveyed is due', () => {
    const { surveys } = surveysOf({ now: 10 });
    expect(surveys.due([t, u])).toBe(t);
    surveys.found(t, synopsisOf(t, 10));
    expect(surveys.due([t, u])).toBe(u);
    surveys.found(u, undefined);
    expect(surveys.due([t, u])).toBe(undefined);
  });

  test('then the one with the most changes, ten thousand or more', () => {
    const { surveys } = surveysOf({ now: 10 });
    for (const table of [t, u, v]) surveys.found(table, synopsisOf(table, 10));
    surveys.changed(t, 9_999);
    expect(surveys.due([t, u, v])).toBe(undefined);
    surveys.changed(t, 1);
    surveys.changed(u, 12_000);
    surveys.changed(v, 11_000);
    expect(surveys.due([t, u, v])).toBe(u);
    surveys.found(u, synopsisOf(u, 10));
    expect(surveys.due([t, u, v])).toBe(v);
  });

  test('then the oldest, after a day', () => {
    const clock = { now: 0 };
    const { surveys } = surveysOf({ now: 10 }, clock);
    for (const table of [t, u]) {
      surveys.found(table, synopsisOf(table, 10));
      clock.now += 1_000;
    }
    clock.now = 24 * 3_600_000;
    expect(surveys.due([u, t])).toBe(undefined);
    clock.now++;
    expect(surveys.due([u, t])).toBe(t);
  });
});

describe('the number of a survey', () => {
  test('changes when it has found something else', () => {
    const { surveys } = surveysOf({ now: 1_000 });
    const t = tableOf(1);
    const column = { id: 1, physicalId: 1, name: 'a', type: 'int64' };
    const wide = { ...t, columns: [column] } as unknown as Table;
    const found = (rows: number, distinct: number) => {
      const columns = { a: { distinctInTable: distinct } };
      surveys.found(wide, surveyedAs(wide, rows, columns).synopsis);
      return surveys.surveyOf(wide);
    };
    expect([found(1_000, 10), found(1_900, 19), found(4_000, 19), found(4_000, 100)]).toEqual([
      1, 1, 2, 3,
    ]);
  });

  test('goes with the table, and of many tables the last 4,096 keep theirs', () => {
    const { surveys } = surveysOf({ now: 10 });
    for (let id = 1; id <= 4_097; id++) surveys.found(tableOf(id), synopsisOf(tableOf(id), 10));
    expect([1, 2, 4_097].map((id) => surveys.surveyOf(tableOf(id)))).toEqual([0, 1, 1]);
    surveys.keepOnly([tableOf(4_097)]);
    expect([2, 4_097].map((id) => surveys.surveyOf(tableOf(id)))).toEqual([0, 1]);
  });
});
