/** A transaction that stays open between calls: what it sees, what it leaves behind, and how it ends. */

import { afterEach, describe, expect, test } from 'bun:test';
import type { Catalog, Transition } from '#catalog';
import type { Engine } from '#engine';
import { outcomeOf, rejection } from '../../support/outcome.ts';
import {
  all,
  createTable,
  execute,
  get,
  openSetting,
  put,
  remove,
  requestOf,
  rows,
  run,
  type Setting,
  set,
} from './support.ts';

let setting: Setting;
let engine: Engine;

async function open(options: Parameters<typeof openSetting>[0] = {}): Promise<void> {
  setting = await openSetting(options);
  engine = setting.engine;
}

afterEach(() => engine.close());

/** Nothing is held any more: no state, no memory, no slot, and no commit has to be remembered for anybody. */
async function expectNothingHeld(): Promise<void> {
  expect(engine.openTransactions().open).toBe(0);
  expect(engine.admissionStatistics()).toMatchObject({ poolUsedBytes: 0, running: 0 });
  expect(engine.storeStatistics().views).toBe(0);
  const ingestion = setting.store.ingest();
  await ingestion?.settled();
  ingestion?.release();
}

const reason = (value: string) =>
  expect.objectContaining({ failure: expect.objectContaining({ reason: value }) });

describe('what is read and written', () => {
  test('it sees its own writes over one state, and others see nothing before the commit', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    expect(await run(one, get(1))).toEqual([[1, 10]]);
    await execute(engine, put(5, 50));
    await run(one, put(2, 20));
    await run(one, set(1, 11));
    expect(await run(one, all())).toEqual([
      [1, 11],
      [2, 20],
    ]);
    expect(await rows(engine)).toEqual([
      [1, 10],
      [5, 50],
    ]);
    one.rollback();
    const two = engine.begin();
    await run(two, put(2, 20), remove(1));
    expect(await two.commit()).toBe('committed');
    expect(await two.ended).toBe('committed');
    expect(await rows(engine)).toEqual([
      [2, 20],
      [5, 50],
    ]);
    await expectNothingHeld();
  });

  test('the state is taken by the first statement, and nothing is held before', async () => {
    await open();
    const one = engine.begin();
    one.mark();
    expect(engine.storeStatistics().views).toBe(0);
    await execute(engine, put(1, 10));
    expect(await run(one, all())).toEqual([[1, 10]]);
    await execute(engine, put(2, 20));
    expect(await run(one, all())).toEqual([[1, 10]]);
    expect(await one.commit()).toBe('committed');
    await expectNothingHeld();
  });

  test('a read-only one keeps its state, refuses writes, and never loses', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin({ isReadOnly: true });
    expect(await run(one, all())).toEqual([[1, 10]]);
    await execute(engine, set(1, 11));
    expect(await run(one, all())).toEqual([[1, 10]]);
    const mark = one.mark();
    expect(await rejection(run(one, put(2, 20)))).toEqual(reason('read_only'));
    await one.undo(mark);
    expect(await run(one, all())).toEqual([[1, 10]]);
    expect(await one.commit()).toBe('committed');
    await expectNothingHeld();
  });

  test('without writes it commits at once, whatever has changed that it has read', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    const mark = one.mark();
    await run(one, all());
    await run(one, put(2, 20));
    await one.undo(mark);
    await execute(engine, set(1, 11));
    const { commits } = engine.storeStatistics().commits;
    expect(await one.commit()).toBe('committed');
    expect(engine.storeStatistics().commits.commits).toBe(commits);
    const unused = engine.begin();
    expect(await unused.commit()).toBe('committed');
    await expectNothingHeld();
  });
});

describe('races', () => {
  test('of two that read what the other one writes, the first to commit wins', async () => {
    await open();
    await execute(engine, put(1, 10), put2(2, 20));
    const [one, two] = [engine.begin(), engine.begin()];
    await run(one, get(1));
    await run(two, get(2));
    await run(one, set(2, 21));
    await run(two, set(1, 11));
    expect(await two.commit()).toBe('committed');
    expect(await one.commit()).toBe('conflict');
    expect(await one.ended).toBe('conflict');
    expect(await rows(engine)).toEqual([
      [1, 11],
      [2, 20],
    ]);
    await expectNothingHeld();
  });

  test('two that are about other rows both commit', async () => {
    await open();
    await execute(engine, put(1, 10), put2(2, 20));
    const [one, two] = [engine.begin(), engine.begin()];
    await run(one, set(1, 11));
    await run(two, set(2, 21));
    expect([await one.commit(), await two.commit()]).toEqual(['committed', 'committed']);
    expect(await rows(engine)).toEqual([
      [1, 11],
      [2, 21],
    ]);
  });

  test('an ordinary program goes between, and a transaction that has read its row loses', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    const mark = one.mark();
    await run(one, get(1));
    // What was read before an undo counts as well.
    await one.undo(mark);
    await run(one, put(2, 20));
    await execute(engine, set(1, 11));
    expect(await one.commit()).toBe('conflict');
    expect(await rows(engine)).toEqual([[1, 11]]);
    const next = engine.begin();
    await run(next, get(1));
    await run(next, put(2, 20));
    await execute(engine, put(3, 30));
    expect(await next.commit()).toBe('committed');
    expect(await rows(engine)).toEqual([
      [1, 11],
      [2, 20],
      [3, 30],
    ]);
  });

  test('a program that runs again after a lost race sees what a transaction has committed', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    await run(one, set(1, 11));
    const programs = Promise.all([1, 2, 3].map((i) => execute(engine, put(10 + i, i))));
    expect(await one.commit()).toBe('committed');
    await programs;
    expect(await rows(engine)).toEqual([
      [1, 11],
      [11, 1],
      [12, 2],
      [13, 3],
    ]);
  });
});

describe('marks', () => {
  test('an undo takes back what came after, also before the first statement, and again', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    const first = one.mark();
    await run(one, put(2, 20));
    const second = one.mark();
    expect([first, second]).toEqual([0, 1]);
    await run(one, set(1, 99), set2(2, 99));
    await one.undo(second);
    expect(await run(one, all())).toEqual([
      [1, 10],
      [2, 20],
    ]);
    await run(one, remove(1));
    await one.undo(second);
    await run(one, put(3, 30));
    one.release(second);
    expect(() => one.undo(second)).toThrow('a mark is used while it lives');
    await one.undo(first);
    expect(await run(one, all())).toEqual([[1, 10]]);
    await run(one, put(4, 40));
    expect(await one.commit()).toBe('committed');
    expect(await rows(engine)).toEqual([
      [1, 10],
      [4, 40],
    ]);
  });

  test('a statement that fails leaves nothing but the undo to a mark', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    await run(one, put(2, 20));
    const mark = one.mark();
    await run(one, put(3, 30));
    expect(await rejection(run(one, put(4, 40), put2(1, 10)))).toEqual(
      reason('constraint_violation'),
    );
    const refused = 'a transaction whose statement failed is undone or rolled back';
    expect(await outcomeOf(run(one, all()))).toThrow(refused);
    expect(await outcomeOf(one.commit())).toThrow(refused);
    expect(() => one.mark()).toThrow(refused);
    expect(() => one.release(mark)).toThrow(refused);
    await one.undo(mark);
    expect(await run(one, all())).toEqual([
      [1, 10],
      [2, 20],
    ]);
    expect(await one.commit()).toBe('committed');
    expect(await rows(engine)).toEqual([
      [1, 10],
      [2, 20],
    ]);
  });

  test('while one call runs, every other call but a rollback is refused and changes nothing', async () => {
    await open();
    const one = engine.begin();
    const mark = one.mark();
    const running = run(one, put(1, 10));
    const refused = 'a transaction does one call at a time';
    expect(await outcomeOf(run(one, put(2, 20)))).toThrow(refused);
    expect(await outcomeOf(one.commit())).toThrow(refused);
    for (const call of [() => one.mark(), () => one.undo(mark), () => one.release(mark)]) {
      expect(call).toThrow(refused);
    }
    await running;
    expect(await run(one, all())).toEqual([[1, 10]]);
    await one.undo(mark);
    expect(await run(one, all())).toEqual([]);
    one.rollback();
    expect(await one.ended).toBe('rolled_back');
    await expectNothingHeld();
  });

  test('without a mark a failure gives everything back at once, and it can be rolled back only', async () => {
    await open();
    const one = engine.begin();
    await run(one, put(1, 10));
    await rejection(run(one, put(1, 10)));
    expect(engine.storeStatistics().views).toBe(0);
    expect(one.bytes).toBe(0);
    expect(() => one.undo(0)).toThrow('a mark is used while it lives');
    expect(engine.openTransactions().open).toBe(1);
    one.rollback();
    expect(await one.ended).toBe('rolled_back');
    await expectNothingHeld();
  });
});

describe('changes of the catalog', () => {
  test('it alone sees them before the commit, and their versions are all there after it', async () => {
    await open();
    const { version } = engine.catalog;
    const one = engine.begin();
    await run(one, createTable('other'));
    await run(one, put(1, 10, 'other'));
    await run(one, createTable('third'));
    await run(one, all('third'));
    expect(one.catalog.tables.map(({ name }) => name)).toEqual(['register', 'other', 'third']);
    expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['register']);
    expect(await run(one, all('other'))).toEqual([[1, 10]]);
    expect(await one.commit()).toBe('committed');
    expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['register', 'other', 'third']);
    expect(engine.catalog.version).toBe(version + 2);
    expect(await rows(engine, 'other')).toEqual([[1, 10]]);
    await execute(engine, createTable('fourth'));
    expect(engine.catalog.version).toBe(version + 3);
  });

  test('an undo takes them back, with what they have given up', async () => {
    await open();
    await execute(engine, put(1, 10));
    const one = engine.begin();
    const mark = one.mark();
    await run(one, { kind: 'delete_table', name: 'd', table_id: idOf('register') });
    await run(one, createTable('other'));
    await run(one, put(7, 70, 'other'));
    expect(one.catalog.tables.map(({ name }) => name)).toEqual(['other']);
    await one.undo(mark);
    expect(one.catalog).toBe(engine.catalog);
    await run(one, put(2, 20));
    expect(await one.commit()).toBe('committed');
    expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['register']);
    expect(await rows(engine)).toEqual([
      [1, 10],
      [2, 20],
    ]);
  });

  test('with one of its own it loses against any other change, without one against those of its tables', async () => {
    await open();
    await execute(engine, createTable('other'));
    const begun = () => engine.begin();
    const [changing, reading, writing] = [begun(), begun(), begun()];
    await run(changing, createTable('third'));
    await run(reading, put(1, 10));
    await run(writing, put(1, 10, 'other'));
    const column = { name: 'more', type: 'int64', nullable: true };
    await execute(engine, { kind: 'create_column', name: 'a', table_id: idOf('register'), column });
    expect(await changing.commit()).toBe('conflict');
    expect(await reading.commit()).toBe('conflict');
    expect(await writing.commit()).toBe('committed');
    expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['register', 'other']);
    expect(await rows(engine, 'other')).toEqual([[1, 10]]);
    await expectNothingHeld();
  });

  test('a delete loses against a reference that leads to its table since', async () => {
    await open();
    await execute(engine, put(1, 10));
    await execute(engine, createTable('child'));
    const one = engine.begin();
    await run(one, remove(1));
    const foreign_key = {
      name: 'child_register',
      columns: ['value'],
      ref_table: 'register',
      ref_columns: ['key'],
      on_delete: 'restrict',
    };
    await execute(engine, {
      kind: 'create_foreign_key',
      name: 'f',
      table_id: idOf('child'),
      foreign_key,
    });
    await execute(engine, put(7, 1, 'child'));
    expect(await one.commit()).toBe('conflict');
    expect(await rows(engine)).toEqual([[1, 10]]);
  });

  test('a table that takes no writes when the state is taken takes none in it, also when the gate is open again', async () => {
    await open({ worksOnTransitions: false });
    const { database } = setting;
    const free = engine.catalog;
    const gated: Catalog = {
      ...free,
      tables: free.tables.map((table) => ({ ...table, transitions: [finishing] })),
    };
    const move = (to: Catalog) =>
      database.movedTo({ catalog: to, keys: database.keys }, database.newestSequence);
    move(gated);
    const one = engine.begin();
    await run(one, all());
    const mark = one.mark();
    move(free);
    expect(await rejection(run(one, put(1, 10)))).toEqual(reason('schema_transition_finalizing'));
    await one.undo(mark);
    one.rollback();
    // Before there is a state it waits for the gate, as programs do.
    move(gated);
    const two = engine.begin();
    const writing = run(two, put(1, 10));
    move(free);
    await writing;
    expect(await two.commit()).toBe('committed');
    expect(await rows(engine)).toEqual([[1, 10]]);
  });

  test('a plan that is known is used while it fits the state of the transaction', async () => {
    await open();
    const { prepared: program } = await execute(engine, all());
    const request = { ...requestOf(all()), known: { program, parameters: [] } };
    const one = engine.begin();
    const column = { name: 'more', type: 'int64', nullable: true };
    const change = { kind: 'create_column', name: 'a', table_id: idOf('register'), column };
    await execute(engine, change);
    // Nothing is held yet: the newest catalog is the one of the transaction.
    const { prepared: second } = await one.run(request);
    expect(second).not.toBe(program);
    const known = { program: second, parameters: [] };
    expect((await one.run({ ...request, known })).prepared).toBe(second);
    const old = engine.catalog;
    await execute(engine, createTable('other'));
    expect(one.catalog).toBe(old);
    expect(await outcomeOf(run(one, all('other')))).toThrow('other');
  });

  const idOf = (name: string): number =>
    engine.catalog.tables.find((it) => it.name === name)?.id as number;
});

describe('memory', () => {
  test('writes, reads and marks are in account, and go back with an undo', async () => {
    await open();
    const one = engine.begin();
    await run(one, put(0, 0));
    const mark = one.mark();
    await run(one, all());
    const before = one.bytes;
    expect(engine.admissionStatistics().poolUsedBytes).toBeGreaterThan(0);
    await run(one, many(5_000));
    const { bytes } = one;
    expect(bytes).toBeGreaterThan(before + 300_000);
    await one.undo(mark);
    // What was read stays.
    expect(one.bytes).toBeLessThan(bytes - 200_000);
    expect(one.bytes).toBeGreaterThan(before);
    one.rollback();
    expect(one.bytes).toBe(0);
    await expectNothingHeld();
  });

  test('a statement has a budget of its own, the transaction a limit for all of them', async () => {
    await open({ programMemoryBytes: 1 << 20 });
    const one = engine.begin();
    let written = 0;
    const error = await rejection(
      (async () => {
        for (; ; written += 1_000) await run(one, many(1_000, written));
      })(),
    );
    expect(error).toEqual(reason('memory_limit'));
    // One program of so many rows would have failed much earlier.
    expect(written).toBeGreaterThan(3_000);
    one.rollback();
    await expectNothingHeld();
  });

  function many(count: number, from = 1): unknown {
    const columns = ['key', 'value'].map((name) => ({ name, type: 'int64' }));
    const values = Array.from({ length: count }, (_, i) => [`${from + i}`, `${i}`]);
    const nodes = { r: { kind: 'rows', scope: 'r', columns, rows: values } };
    const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
    return { kind: 'create', name: 'many', table: 'register', relation };
  }
});

/** An index build at its end: for so long its table takes no writes. */
const finishing = {
  kind: 'index_build',
  id: 9,
  state: 'validating',
  index: { id: 9, physicalId: 99, name: 'i', columns: [2], unique: true },
} as unknown as Transition;

/** Statements of one program have different names. */
function put2(key: number, value: number): unknown {
  return { ...(put(key, value) as object), name: 'put2' };
}

function set2(key: number, value: number): unknown {
  return { ...(set(key, value) as object), name: 'set2' };
}
