/**
 * No operator and no mutation works long in one go. Counted, not timed: every other look at the clock finds the slice at its end, and what
 * happens in between is bounded.
 */

import { describe, expect, test } from 'bun:test';
import type { Catalog } from '#catalog';
import type { PlanExpression, RelationPlan, StatementPlan } from '#planner';
import type { Row } from '#value';
import { Appending } from '../../src/executor/batch/appending.ts';
import { pieceLength } from '../../src/executor/batch/chunked-column.ts';
import { RowStore } from '../../src/executor/batch/row-store.ts';
import { denseSelection } from '../../src/executor/batch/vector.ts';
import { MergeSort } from '../../src/executor/operators/sort/merge-sort.ts';
import { MemoryTransaction } from './support/memory-transaction.ts';
import {
  aggregate,
  col,
  filter,
  fold,
  logical,
  loopJoin,
  node,
  Parameters,
  scan,
  sort,
} from './support/plans.ts';
import {
  catalogOf,
  mutation,
  query,
  rowsBothWays,
  run,
  runNow,
  tableOf,
  testWorld,
} from './support/run.ts';

/** Of a slice of five. */
const stepMs = 2;
const many = 20_000;
const numbers = Array.from({ length: many }, (_, i): Row => [i, (i * 7919) % many]);

/** Counts writes, and how many of them at most lie between two turns. */
class Gauge extends MemoryTransaction {
  readonly world = { ...testWorld(stepMs) };
  longest = 0;
  yields = 0;
  private steps = 0;

  constructor(entries: MemoryTransaction) {
    super(0, entries.entries);
    this.world.scheduler = {
      ...this.world.scheduler,
      yield: () => {
        this.yields++;
        this.end();
        return Promise.resolve();
      },
    };
  }

  override put(key: Uint8Array, value: Uint8Array): void {
    this.steps++;
    super.put(key, value);
  }

  override delete(key: Uint8Array): void {
    this.steps++;
    super.delete(key);
  }

  /** The last stretch is over. */
  end(): void {
    this.longest = Math.max(this.longest, this.steps);
    this.steps = 0;
  }
}

async function gauge(
  catalog: Catalog,
  before: MemoryTransaction,
  statement: StatementPlan,
  parameters: Parameters,
): Promise<Gauge> {
  const transaction = new Gauge(before);
  const { world } = transaction;
  await run([statement], { catalog, transaction, world, parameters: parameters.values });
  transaction.end();
  return transaction;
}

async function yieldsOf(root: RelationPlan, p: Parameters): Promise<number> {
  const world = testWorld(stepMs);
  await run([query('q', root)], { world, parameters: p.values });
  return world.yields;
}

describe('sorts', () => {
  function sorted(length: number, keyBytes: number) {
    let compared = 0;
    let longest = 0;
    const value = (row: number) => (row * 7919) % (length >> 1);
    const compare = (left: number, right: number) => {
      compared++;
      return value(left) - value(right);
    };
    const sort = new MergeSort(length, compare, keyBytes);
    const pause = () => {
      longest = Math.max(longest, compared);
      compared = 0;
      return undefined;
    };
    sort.run(pause);
    pause();
    return { order: [...sort.order], longest, value };
  }

  test('the last pass merges in steps like the first, and equal rows keep their order', () => {
    const { order, longest, value } = sorted(100_000, 0);
    expect(longest).toBeLessThanOrEqual(8 * 1024);
    const right = Array.from(order, (_, i) => i).sort((a, b) => value(a) - value(b) || a - b);
    expect(order).toEqual(right);
  });

  test('rows with long keys are compared few at a time', () => {
    expect(sorted(2000, 100_000).longest).toBeLessThan(100);
  });

  test('the first rows of an order are found in steps too', async () => {
    const p = new Parameters();
    const plan = sort(p.rows(['int64', 'int64'], numbers), [[1]], 4000);
    // Reading takes 10 turns, cutting twice some 10,000 rows in 11 passes many more.
    expect(await yieldsOf(plan, p)).toBeGreaterThan(80);
  });
});

describe('a query of many parts is built a few parts at a time', () => {
  const partCount = 4000;

  /** The longest stretch of `steps`, by a world that ends a stretch with each turn. */
  async function longestOf(root: RelationPlan, p: Parameters, steps: { count: number }) {
    const world = { ...testWorld(stepMs) };
    let longest = 0;
    const end = () => {
      longest = Math.max(longest, steps.count);
      steps.count = 0;
    };
    world.scheduler = { ...world.scheduler, yield: async () => end() };
    await run([query('q', root, { parts: partCount })], { world, parameters: p.values });
    end();
    return longest;
  }

  test('thousands of terms of one expression are compiled in pieces', async () => {
    const p = new Parameters();
    const steps = { count: 0 };
    const operand = { ...col(0, 'int64') };
    // Asked for when a test for NULL is compiled.
    Object.defineProperty(operand, 'type', {
      get: () => {
        steps.count++;
        return { kind: 'int64' };
      },
    });
    const term = { ...operand, kind: 'unary', op: 'is_null', operand, type: { kind: 'bool' } };
    const terms = Array.from({ length: partCount }, () => ({ ...term }) as PlanExpression);
    const rows = p.rows(['int64'], [[1]]);
    const longest = await longestOf(filter(rows, logical('or', ...terms)), p, steps);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(partCount / 2);
  });

  test('thousands of operators are made in pieces', async () => {
    const p = new Parameters();
    const steps = { count: 0 };
    const one = p.rows(['int64'], [[1]]);
    const inputs = Array.from({ length: partCount }, () => {
      const input = { ...one };
      // Asked for as its operator is made.
      Object.defineProperty(input, 'id', {
        get: () => {
          steps.count++;
          return 0;
        },
      });
      return input;
    });
    const all: RelationPlan = { kind: 'concatenate', inputs, ...node(one.output) };
    const longest = await longestOf(all, p, steps);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(partCount / 2);
  });
});

describe('a batch goes in among many rows a few columns at a time', () => {
  const width = 500;
  const types = Array.from({ length: width }, () => ({ kind: 'int64' }) as const);
  const columns = Array.from({ length: width }, (_, c) => [c, c + 1]);
  const batch = { columns, selection: denseSelection, count: 2 };

  test('asked before each, by how much an array that grows has to copy', () => {
    const store = new RowStore(types);
    const asked: number[] = [];
    const pause = (rows: number) => void asked.push(rows);
    new Appending(store, batch).run(pause);
    expect(asked).toHaveLength(width);
    const [first] = asked;
    store.length = 1 << 20;
    new Appending(store, batch).run(pause);
    // No more than a piece, however many rows there are.
    expect(asked.at(-1)).toBe(pieceLength / 4096 + (first as number));
  });

  test('and is in as a whole, however often it waits', () => {
    const whole = new RowStore(types);
    whole.append(batch);
    whole.append(batch);
    const store = new RowStore(types);
    let asked = 0;
    let waits = 0;
    const pause = () => (++asked % 7 === 0 ? Promise.resolve() : undefined);
    for (let times = 0; times < 2; times++) {
      const appending = new Appending(store, batch);
      while (appending.run(pause) !== undefined) waits++;
    }
    expect(waits).toBeGreaterThan(100);
    expect(store).toEqual(whole);
  });
});

test('a sort of wide rows waits between their columns and gives the rows of one that does not', async () => {
  const p = new Parameters();
  const width = 2_000;
  const wideRows = Array.from(
    { length: 300 },
    (_, i): Row => Array.from({ length: width }, (_, c) => (c === 0 ? 300 - i : i)),
  );
  const types = Array.from({ length: width }, () => 'int64' as const);
  const plan = sort(p.rows(types, wideRows), [[0]]);
  const transaction = new MemoryTransaction();
  expect(await rowsBothWays(plan, { parameters: p.values, transaction })).toEqual(
    wideRows.toReversed(),
  );
});

test('a derived binding of wide rows is filled in steps', async () => {
  const fill = async (width: number) => {
    const p = new Parameters();
    const types = Array.from({ length: width }, () => 'int64' as const);
    const rows = Array.from({ length: 50 }, (_, i): Row => types.map(() => i));
    const plan = p.rows(types, rows);
    const root: RelationPlan = {
      kind: 'materialized',
      source: { kind: 'binding', name: 'b' },
      columnIndexes: [0],
      ...node(plan.output.slice(0, 1)),
    };
    const world = testWorld(6);
    const setting = { bindings: [{ kind: 'derived', name: 'b', plan } as const] };
    const { result } = await run([query('q', root, setting)], { world, parameters: p.values });
    expect(result?.rows).toEqual(rows.map((row) => row.slice(0, 1)));
    return world.yields;
  };
  // Fifty values of each of 8,000 columns, in portions of 1,024 rows of work.
  expect(await fill(8_000)).toBeGreaterThanOrEqual((await fill(2)) + 6);
});

test('a large query is built between two turns of its own', async () => {
  const turns = async (parts: number) => {
    const p = new Parameters();
    const world = testWorld(6);
    const root = p.rows(['int64'], [[1]]);
    await run([query('q', root, { parts })], { world, parameters: p.values });
    return world.yields;
  };
  expect(await turns(5_000)).toBe((await turns(10)) + 2);
});

test('many groups are finished and handed on in steps', async () => {
  const p = new Parameters();
  const rows = p.rows(['int64', 'int64'], numbers);
  const plan = aggregate(rows, [col(0, 'int64')], [fold('sum', col(1, 'int64'))]);
  // Twenty batches, read, finished and handed on: every other time.
  expect(await yieldsOf(plan, p)).toBeGreaterThanOrEqual(28);
});

describe('mutations', () => {
  const catalog = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'v', type: 'int64' },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'by_v', columns: ['v'] },
      { name: 'by_both', columns: ['v', 'id'], unique: true },
    ],
  });
  const table = tableOf(catalog, 't');

  function create(): [StatementPlan, Parameters] {
    const p = new Parameters();
    return [mutation('create', catalog, ['t', 'id', 'v'], p.rows(['int64', 'int64'], numbers)), p];
  }

  function filled(): MemoryTransaction {
    const transaction = new MemoryTransaction();
    const [statement, p] = create();
    runNow([statement], { catalog, transaction, parameters: p.values });
    return transaction;
  }

  test('create', async () => {
    const [statement, p] = create();
    const { longest } = await gauge(catalog, new MemoryTransaction(), statement, p);
    expect(longest).toBeLessThanOrEqual(2600);
  });

  test('rows and keys of a create are kept in pieces, none of which is copied as it grows', () => {
    const p = new Parameters();
    const count = 2 * pieceLength + 1;
    const rows = p.rows(
      ['int64', 'int64'],
      Array.from({ length: count }, (_, i): Row => [count - i, i]),
    );
    // Of no order of columns that the table has: they are made anew.
    const statement = mutation('create', catalog, ['t', 'v', 'id'], rows);
    const given = { catalog, transaction: new MemoryTransaction(), parameters: p.values };
    let longest = 0;
    const push = Array.prototype.push;
    try {
      Array.prototype.push = function (...items: unknown[]) {
        longest = Math.max(longest, this.length + items.length);
        return push.apply(this, items);
      };
      runNow([statement], given);
    } finally {
      Array.prototype.push = push;
    }
    expect(longest).toBeGreaterThan(1);
    expect(longest).toBeLessThanOrEqual(pieceLength);
  });

  test('update', async () => {
    const p = new Parameters();
    const rows = p.rows(
      ['int64', 'int64'],
      numbers.map(([id, v]) => [id as number, (v as number) + 1]),
    );
    const statement = mutation('update', catalog, ['t', 'id', 'v'], rows);
    expect((await gauge(catalog, filled(), statement, p)).longest).toBeLessThanOrEqual(5200);
  });

  test('delete', async () => {
    const statement = mutation('delete', catalog, ['t', 'id'], scan(table));
    const { longest } = await gauge(catalog, filled(), statement, new Parameters());
    expect(longest).toBeLessThanOrEqual(5200);
  });

  test('create index', async () => {
    const index = table.indexes.find(({ unique }) => !unique);
    if (index === undefined) throw new Error('the table has an index');
    const backfill: StatementPlan = {
      kind: 'catalog',
      name: 'i',
      effects: [{ kind: 'backfill_index', table, index }],
      control: undefined,
      catalog,
    } as never;
    const { longest } = await gauge(catalog, filled(), backfill, new Parameters());
    expect(longest).toBeLessThanOrEqual(2600);
  });

  test('large values count by their bytes', async () => {
    const texts = catalogOf({
      name: 'b',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 'v', type: 'text' },
      ],
      primary_key: ['id'],
    });
    const p = new Parameters();
    const long = 'x'.repeat(100_000);
    const rows = p.rows(
      ['int64', 'text'],
      Array.from({ length: 200 }, (_, i): Row => [i, long]),
    );
    const statement = mutation('create', texts, ['b', 'id', 'v'], rows);
    expect((await gauge(texts, new MemoryTransaction(), statement, p)).longest).toBeLessThan(100);
  });
});

describe('cascades', () => {
  const count = 3000;
  const catalog = catalogOf({
    name: 'c',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'up', type: 'int64', nullable: true },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'by_up', columns: ['up'] }],
    foreign_keys: [
      { name: 'k', columns: ['up'], ref_table: 'c', ref_columns: ['id'], on_delete: 'cascade' },
    ],
  });

  /** Rows of which each references `up(i)`, or none. */
  function tree(up: (i: number) => number | null): MemoryTransaction {
    const transaction = new MemoryTransaction();
    const p = new Parameters();
    const rows = p.rows(
      ['int64', 'int64'],
      Array.from({ length: count }, (_, i): Row => [i, up(i)]),
    );
    const statement = mutation('create', catalog, ['c', 'id', 'up'], rows);
    runNow([statement], { catalog, transaction, parameters: p.values });
    return transaction;
  }

  function removal(): [StatementPlan, Parameters] {
    const p = new Parameters();
    return [mutation('delete', catalog, ['c', 'id'], p.rows(['int64'], [[0]])), p];
  }

  test('a wave of many rows goes in steps', async () => {
    const [statement, p] = removal();
    const after = await gauge(
      catalog,
      tree((i) => (i === 0 ? null : 0)),
      statement,
      p,
    );
    expect(after.entries.size).toBe(0);
    expect(after.longest).toBeLessThanOrEqual(5200);
  });

  test('so do the many waves of a chain, each of one row', async () => {
    const [statement, p] = removal();
    // A scan of this transaction sorts its keys anew after each change: a short chain will do.
    const short = tree((i) => (i === 0 || i >= 300 ? null : i - 1));
    const after = await gauge(catalog, short, statement, p);
    expect(after.yields).toBeGreaterThanOrEqual(2);
    expect(after.longest).toBeLessThanOrEqual(1200);
  });

  test('what they find is accounted for', () => {
    const [statement, p] = removal();
    const wide = tree((i) => (i === 0 ? null : 0));
    const limits = { memoryBytes: 800_000 };
    const setting = { catalog, transaction: wide, parameters: p.values, limits };
    expect(() => runNow([statement], setting)).toThrow('needs more memory');
    expect(wide.entries.size).toBeGreaterThan(count);
  });
});

test('a loop join meets no more than a batch of rows in one go', async () => {
  const p = new Parameters();
  const left = p.rows(['int64'], [[1], [2], [3]]);
  const right = p.rows(['int64', 'int64'], numbers);
  const never = p.lit('bool', false);
  expect(await yieldsOf(loopJoin('inner', left, right, never), p)).toBeGreaterThanOrEqual(35);
});
