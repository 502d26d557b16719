/** create, update and delete, without foreign keys. */

import { describe, expect, test } from 'bun:test';
import { ByteString, type Row } from '#value';
import { MemoryTransaction } from '../support/memory-transaction.ts';
import { arith, col, Parameters, project, scan } from '../support/plans.ts';
import { catalogOf, mutation, query, run, tableOf } from '../support/run.ts';
import { Bench } from './support.ts';

const catalog = catalogOf(
  {
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'rank', type: 'int64', nullable: true },
      { name: 'note', type: 'text', default: { kind: 'literal', value: 'new' } },
      { name: 'f', type: 'float64', nullable: true },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'rank', columns: ['rank'], unique: true },
      { name: 'f', columns: ['f'], unique: true },
      { name: 'note', columns: ['note', 'rank'] },
    ],
  },
  {
    name: 'u',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'name', type: 'text' },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'name', columns: ['name'], unique: true }],
  },
  {
    name: 'g',
    columns: [
      {
        name: 'id',
        type: 'bytes',
        format: 'uuid',
        default: { kind: 'generator', func: 'uuid_v7' },
      },
      { name: 'x', type: 'bytes', format: 'xid', nullable: true },
      { name: 'at', type: 'int64', default: { kind: 'generator', func: 'now_ms' } },
    ],
    primary_key: ['id'],
  },
  {
    name: 'i',
    columns: [
      { name: 'n', type: 'int64', default: { kind: 'generator', func: 'increment' } },
      { name: 'name', type: 'text', nullable: true },
      { name: 'm', type: 'int64', default: { kind: 'generator', func: 'increment' } },
    ],
    primary_key: ['n'],
  },
);

const filled = () => {
  const bench = new Bench(catalog);
  bench.create(['t', 'id', 'rank'], [1, 10], [2, 20], [3, 30]);
  return bench;
};

describe('create', () => {
  test('absent columns take defaults, present ones do not', () => {
    const bench = new Bench(catalog);
    expect(bench.create(['t', 'id', 'rank'], [2, null], [1, 5])).toEqual([
      [2, null, 'new', null],
      [1, 5, 'new', null],
    ]);
    expect(bench.rows('t')).toEqual([
      [1, 5, 'new', null],
      [2, null, 'new', null],
    ]);
    expect(bench.rowsByIndex('t', 'note')).toEqual(bench.rows('t'));
  });

  test('keys must be new and different', () => {
    const bench = filled();
    expect(bench.failure(() => bench.create(['t', 'id'], [7], [7]))).toMatch(
      /^constraint_violation.*same primary key/,
    );
    expect(bench.failure(() => bench.create(['t', 'id'], [7], [2]))).toMatch(
      /^constraint_violation.*primary key/,
    );
  });

  test('many rows with consecutive keys: looked at as an interval, and one key in it is enough', () => {
    const bench = filled();
    const from = (first: number): Row[] => Array.from({ length: 40 }, (_, i) => [first + i]);
    bench.create(['t', 'id'], ...from(4));
    expect(bench.transaction.gets).toBe(0);
    expect(bench.rows('t')).toHaveLength(43);
    for (const first of [3, 43, 20, -36]) {
      expect(bench.failure(() => bench.create(['t', 'id'], ...from(first)))).toMatch(
        /^constraint_violation.*has a row with this primary key/,
      );
    }
    bench.delete(['t', 'id'], ...from(4));
    expect(bench.create(['t', 'id'], ...from(4))).toHaveLength(40);
    bench.create(['t', 'id'], ...from(44));
    const ids = bench.rows('t').map(([id]) => id as number);
    expect(ids).toEqual(Array.from({ length: 83 }, (_, i) => i + 1));
    expect(
      bench.failure(() =>
        bench.create(
          ['t', 'id', 'note'],
          ...from(90).map(([id], i) => [id, i === 30 ? null : 'n'] as Row),
        ),
      ),
    ).toContain('does not accept NULL');
  });

  test('unique indexes: NULL is exempt, minus zero is zero', () => {
    const bench = filled();
    bench.create(['t', 'id', 'f'], [4, 0], [5, null], [6, null]);
    expect(bench.failure(() => bench.create(['t', 'id', 'f'], [7, -0]))).toMatch(
      /^constraint_violation.*unique index "f"/,
    );
    expect(bench.failure(() => bench.create(['t', 'id', 'rank'], [8, 1], [9, 1]))).toContain(
      'unique index "rank"',
    );
  });

  test('NULL and identifier length are checked at run time', () => {
    const bench = new Bench(catalog);
    expect(bench.failure(() => bench.create(['t', 'id', 'note'], [1, null]))).toStartWith(
      'constraint_violation',
    );
    const short = new ByteString(new Uint8Array(11));
    expect(bench.failure(() => bench.create(['g', 'x'], [short]))).toStartWith('invalid');
  });

  test('keys above 16 KiB are refused', () => {
    const bench = new Bench(catalog);
    expect(
      bench.failure(() => bench.create(['t', 'id', 'note'], [1, 'x'.repeat(17_000)])),
    ).toStartWith('invalid');
  });

  test('rows one by one leave what the same rows leave together, and are refused for the same', () => {
    const together = new Bench(catalog);
    const single = new Bench(catalog);
    const named: Row[] = [['a'], ['b'], ['c']];
    const made = together.create(['i', 'name'], ...named);
    expect(named.flatMap((row) => single.create(['i', 'name'], row))).toEqual([...made]);
    together.create(['i', 'n', 'name'], [9, 'd'], [12, 'e']);
    for (const row of [
      [9, 'd'],
      [12, 'e'],
    ] as Row[])
      single.create(['i', 'n', 'name'], row);
    const values: Row[] = [
      [1, 5, 'x'],
      [2, null, 'y'],
      [3, null, ''],
    ];
    together.create(['t', 'id', 'rank', 'note'], ...values);
    for (const row of values) single.create(['t', 'id', 'rank', 'note'], row);
    expect(single.transaction.entries).toEqual(together.transaction.entries);
    for (const [columns, wrong, fine] of [
      [['t', 'id'], [1], [7]],
      [
        ['t', 'id', 'rank'],
        [8, 5],
        [7, 6],
      ],
      [
        ['t', 'id', 'note'],
        [8, null],
        [7, 'z'],
      ],
      [['g', 'x'], [new ByteString(new Uint8Array(11))], [new ByteString(new Uint8Array(12))]],
    ] as [[string, ...string[]], Row, Row][]) {
      const refused = single.failure(() => single.create(columns, wrong));
      expect(refused).toBe(together.failure(() => together.create(columns, wrong, fine)));
    }
  });

  test('a row whose key has to be waited for is written all the same', async () => {
    const slow = new MemoryTransaction(2);
    const p = new Parameters();
    const rows = p.rows(['int64', 'int64'], [[1, 5]]);
    await run([mutation('create', catalog, ['t', 'id', 'rank'], rows)], {
      catalog,
      transaction: slow,
      parameters: p.values,
    });
    const bench = new Bench(catalog);
    bench.create(['t', 'id', 'rank'], [1, 5]);
    expect(slow.entries).toEqual(bench.transaction.entries);
  });

  test('generators: distinct, with their format', () => {
    const bench = new Bench(catalog);
    const x = new ByteString(new Uint8Array(12));
    const rows = bench.create(['g', 'x'], [x], [x], [null]);
    const ids = rows.map(([id]) => Buffer.from((id as ByteString).bytes).toString('hex'));
    expect(new Set(ids).size).toBe(3);
    expect(ids.toSorted()).toEqual(ids);
    const [id, xid, at] = rows[0] as Row;
    expect((id as ByteString).format).toBe('uuid');
    expect((xid as ByteString).format).toBe('xid');
    expect(at).toBe(1_700_000_000_000);
    expect(bench.rows('g')).toEqual(rows);
  });
});

describe('increment', () => {
  test('allocates in the order of the other columns', () => {
    const bench = new Bench(catalog);
    const rows = bench.create(['i', 'name'], ['c'], ['a'], [null], ['b']);
    expect(rows).toEqual([
      [4, 'c', 4],
      [2, 'a', 2],
      [1, null, 1],
      [3, 'b', 3],
    ]);
  });

  test('supplied values raise the mark, and it never falls', () => {
    const bench = new Bench(catalog);
    bench.create(['i', 'n', 'name', 'm'], [50, 'a', 7], [-3, 'b', -8]);
    expect(bench.create(['i', 'name'], ['c'])).toEqual([[51, 'c', 8]]);
    bench.delete(['i', 'n'], [51]);
    bench.update(['i', 'n', 'm'], [50, 100]);
    expect(bench.create(['i', 'name'], ['d'])).toEqual([[52, 'd', 101]]);
  });

  test('a failed program leaves the mark, an exhausted one overflows', () => {
    const bench = new Bench(catalog);
    bench.create(['i', 'name'], ['a']);
    bench.failure(() => bench.create(['i', 'n', 'm'], [1, 90]));
    expect(bench.create(['i', 'name'], ['b'])).toEqual([[2, 'b', 2]]);
    bench.create(['i', 'n', 'm'], [2n ** 63n - 2n, 10]);
    expect(bench.create(['i', 'name'], ['c'])).toEqual([[2n ** 63n - 1n, 'c', 11]]);
    expect(bench.failure(() => bench.create(['i', 'name'], ['d']))).toStartWith('numeric_overflow');
  });
});

describe('update', () => {
  test('assigns what is present and keeps the rest', () => {
    const bench = filled();
    expect(bench.update(['t', 'id', 'rank'], [2, null], [3, 31])).toEqual([
      [2, null, 'new', null],
      [3, 31, 'new', null],
    ]);
    expect(bench.rowsByIndex('t', 'rank')).toEqual(bench.rows('t'));
    expect(bench.rowsByIndex('t', 'note')).toEqual(bench.rows('t'));
  });

  test('an update makes no index tuple above 16 KiB, whichever index it is', () => {
    const bench = filled();
    const before = bench.rows('t');
    const long = (bytes: number): Row => [2, 'x'.repeat(bytes)];
    for (const columns of [
      ['t', 'id', 'note'],
      ['u', 'id', 'name'],
    ] as const) {
      if (columns[0] === 'u') bench.create(['u', 'id', 'name'], [2, 'short']);
      expect(bench.failure(() => bench.update([...columns], long(17_000)))).toMatch(
        /^invalid.*at most 16384 are allowed/,
      );
      bench.update([...columns], long(16_000));
    }
    expect(bench.rows('t')).toHaveLength(before.length);
    expect(bench.rowsByIndex('t', 'note')).toHaveLength(before.length);
    expect(bench.rowsByIndex('u', 'name')).toEqual(bench.rows('u'));
  });

  test('unique values can be swapped, but not shared', () => {
    const bench = filled();
    bench.update(['t', 'id', 'rank'], [1, 20], [2, 30], [3, 10]);
    expect(bench.rows('t').map(([id, rank]) => [id, rank])).toEqual([
      [1, 20],
      [2, 30],
      [3, 10],
    ]);
    expect(bench.failure(() => bench.update(['t', 'id', 'rank'], [1, 30]))).toContain(
      'unique index',
    );
  });

  test('targets must exist, once; the earliest wrong row is reported', () => {
    const bench = filled();
    expect(bench.failure(() => bench.update(['t', 'id', 'rank'], [9, 1]))).toMatch(
      /^mutation_target_not_found.*target not found/,
    );
    expect(bench.failure(() => bench.update(['t', 'id', 'rank'], [1, 1], [1, 1], [9, 9]))).toMatch(
      /^mutation_target_ambiguous.*same row twice/,
    );
    expect(
      bench.failure(() => bench.update(['t', 'id', 'rank'], [9, 9], [1, 1], [1, 1])),
    ).toStartWith('mutation_target_not_found');
    expect(bench.failure(() => bench.update(['t', 'id', 'rank'], [null, 1]))).toStartWith(
      'mutation_target_not_found',
    );
    expect(bench.update(['t', 'id', 'rank'])).toEqual([]);
  });

  test('a statement never sees its own effects', () => {
    const bench = filled();
    const table = tableOf(catalog, 't');
    const p = new Parameters();
    const raised = project(
      scan(table),
      arith('add', col(0, 'int64'), p.lit('int64', 1)),
      col(1, 'int64'),
    );
    const shifted = project(
      scan(table),
      col(0, 'int64'),
      arith('add', col(1, 'int64'), p.lit('int64', 10)),
    );
    bench.run([mutation('update', catalog, ['t', 'id', 'rank'], shifted)], p);
    expect(bench.rows('t').map(([, rank]) => rank)).toEqual([20, 30, 40]);
    expect(
      bench.failure(() => bench.run([mutation('create', catalog, ['t', 'id', 'rank'], raised)], p)),
    ).toContain('primary key');
  });

  test('later statements see earlier effects', () => {
    const bench = filled();
    const p = new Parameters();
    const table = tableOf(catalog, 't');
    const added = mutation('create', catalog, ['t', 'id'], p.rows(['int64'], [[9]]));
    expect(bench.run([added, query('all', scan(table))], p)?.length).toBe(4);
  });
});

describe('delete', () => {
  test('returns the old rows and removes every entry', () => {
    const bench = filled();
    expect(bench.delete(['t', 'id'], [3], [1])).toEqual([
      [3, 30, 'new', null],
      [1, 10, 'new', null],
    ]);
    bench.delete(['t', 'id'], [2]);
    expect(bench.transaction.entries.size).toBe(0);
  });

  test('a freed key and a freed unique value can be used again', () => {
    const bench = filled();
    bench.delete(['t', 'id'], [1]);
    expect(bench.create(['t', 'id', 'rank'], [1, 10])).toEqual([[1, 10, 'new', null]]);
    expect(bench.failure(() => bench.delete(['t', 'id'], [4]))).toContain('target not found');
  });
});
