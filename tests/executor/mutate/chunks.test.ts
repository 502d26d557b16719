/** Mutations in memory for a few rows only: what they leave and return is what they leave and return with any memory. */

import { describe, expect, test } from 'bun:test';
import { Memory } from '#executor';
import { DatabaseError } from '#failure';
import type { StatementPlan } from '#planner';
import type { KeyBatch } from '#storage';
import type { Row } from '#value';
import { SpillDirectory } from '../../support/spill-directory.ts';
import { MemoryTransaction } from '../support/memory-transaction.ts';
import { Parameters, scan } from '../support/plans.ts';
import { catalogOf, mutation, query, run, tableOf } from '../support/run.ts';

const int = (name: string) => ({ name, type: 'int64' as const });
const optional = (name: string) => ({ ...int(name), nullable: true });

const numbered = (name: string) => ({
  ...int(name),
  default: { kind: 'generator' as const, func: 'increment' as const },
});

const catalog = catalogOf(
  { name: 'p', columns: [int('id'), optional('v')], primary_key: ['id'] },
  {
    name: 'c',
    columns: [int('id'), optional('p'), int('u'), optional('self')],
    primary_key: ['id'],
    indexes: [
      { name: 'by_p', columns: ['p'], unique: false },
      { name: 'by_u', columns: ['u'], unique: true },
    ],
    foreign_keys: [
      { name: 'fk', columns: ['p'], ref_table: 'p', ref_columns: ['id'], on_delete: 'cascade' },
      { name: 'own', columns: ['self'], ref_table: 'c', ref_columns: ['id'], on_delete: 'cascade' },
    ],
  },
  {
    name: 'n',
    columns: [int('id'), optional('p'), optional('c')],
    primary_key: ['id'],
    indexes: [{ name: 'by_c', columns: ['c'], unique: false }],
    foreign_keys: [
      { name: 'to_p', columns: ['p'], ref_table: 'p', ref_columns: ['id'], on_delete: 'set_null' },
      { name: 'to_c', columns: ['c'], ref_table: 'c', ref_columns: ['id'], on_delete: 'set_null' },
    ],
  },
  {
    name: 'r',
    columns: [int('id'), optional('c')],
    primary_key: ['id'],
    foreign_keys: [
      { name: 'hard', columns: ['c'], ref_table: 'c', ref_columns: ['id'], on_delete: 'no_action' },
    ],
  },
  {
    name: 'i',
    columns: [numbered('id'), optional('v'), numbered('k'), optional('self')],
    primary_key: ['id'],
    foreign_keys: [
      { name: 'up', columns: ['self'], ref_table: 'i', ref_columns: ['id'], on_delete: 'cascade' },
    ],
  },
);

type Kind = 'create' | 'ordered create' | 'update' | 'delete';
type Change = readonly [Kind, readonly [string, ...string[]], readonly Row[]];

const count = 60;
const filling: readonly Change[] = [
  ['create', ['p', 'id', 'v'], Array.from({ length: count }, (_, i) => [i, i % 7])],
  [
    'create',
    ['c', 'id', 'p', 'u', 'self'],
    Array.from({ length: count }, (_, i) => [i, (i * 7) % count, 1000 + i, i < 20 ? null : i - 20]),
  ],
  [
    'create',
    ['n', 'id', 'p', 'c'],
    Array.from({ length: count }, (_, i) => [i, i % 5 === 0 ? null : i, (i * 11) % count]),
  ],
];

interface Done {
  readonly rows: readonly Row[] | undefined;
  readonly failure: string | undefined;
  readonly entries: ReadonlyMap<string, string>;
}

/** What the changes come to, as one program over the filled tables. `holdBytes`: the share of an operator. */
async function done(changes: readonly Change[], holdBytes: number | undefined): Promise<Done> {
  const directory = new SpillDirectory();
  const transaction = new MemoryTransaction(holdBytes === undefined ? 0 : 5);
  const spill = holdBytes === undefined ? undefined : directory.space({ holdBytes });
  const memory = new Memory(64 << 20, undefined, spill);
  await program(filling, transaction, new Memory(64 << 20));
  const outcome = await program(changes, transaction, memory);
  memory.release();
  expect(directory.openFiles).toBe(0);
  const text = ({ key, value }: { key: Uint8Array; value: Uint8Array }) =>
    [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')] as const;
  const entries = new Map([...transaction.entries.values()].map(text).sort());
  return { ...outcome, entries };
}

async function program(changes: readonly Change[], transaction: MemoryTransaction, memory: Memory) {
  const p = new Parameters();
  const statements = changes.map(([kind, columns, rows], i): StatementPlan => {
    const [name, ...names] = columns;
    const table = tableOf(catalog, name);
    const types = names.map(
      (column) => table.columns.find((candidate) => candidate.name === column)?.type ?? 'int64',
    );
    const isOrdered = kind === 'ordered create';
    const made = mutation(isOrdered ? 'create' : kind, catalog, columns, p.rows(types, rows));
    return { ...made, ...(isOrdered && { ordered: true }), name: `s${i}` };
  });
  try {
    const outcome = await run(statements, {
      catalog,
      transaction,
      parameters: p.values,
      memory,
    });
    const rows = outcome.result?.rows;
    const isOrdered = changes.at(-1)?.[0] === 'ordered create';
    return { rows: isOrdered ? rows : rows?.toSorted(byId), failure: undefined };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { reason, detail, inputRow } = error.failure;
    return { rows: undefined, failure: `${reason}: ${detail} (row ${inputRow})` };
  }
}

const byId = ([left]: Row, [right]: Row) => Number(left) - Number(right);

const all = Array.from({ length: count }, (_, i) => i);
const reversed = all.toReversed();

describe.each([
  ['a row at a time', 64],
  ['a few rows at a time', 20_000],
])('%s', (_, holdBytes) => {
  test.each<[string, readonly Change[]]>([
    [
      'create rows in any order',
      [['create', ['p', 'id'], all.map((i) => [100 + ((i * 7) % count)])]],
    ],
    [
      'create rows that refer to later ones',
      [
        [
          'create',
          ['c', 'id', 'u', 'self'],
          reversed.map((i) => [100 + i, i, i === 0 ? null : 99 + i]),
        ],
      ],
    ],
    [
      'number rows in the order of their columns, NULL first and equal rows in theirs',
      [['create', ['i', 'v'], all.map((i) => [i % 3 === 0 ? null : (i * 7) % 11])]],
    ],
    [
      'number rows beyond the given and the earlier numbers',
      [
        ['create', ['i', 'k', 'v'], all.map((i) => [2 * i + 5, -i])],
        ['create', ['i', 'v'], reversed.map((i) => [i])],
      ],
    ],
    [
      'number rows that refer to each other',
      [['create', ['i', 'v', 'self'], all.map((i) => [reversed[i] ?? 0, 1 + ((i * 13) % count)])]],
    ],
    [
      'number rows in the order of the input',
      [['ordered create', ['i', 'v'], all.map((i) => [i % 3 === 0 ? null : (i * 7) % 11])]],
    ],
    [
      'number rows that refer to each other in the order of the input',
      [
        [
          'ordered create',
          ['i', 'v', 'self'],
          all.map((i) => [(i * 7) % 11, 1 + ((i * 13) % count)]),
        ],
      ],
    ],
    ['update all rows', [['update', ['p', 'id', 'v'], all.map((i) => [i, i + 1])]]],
    ['update in another order', [['update', ['p', 'id', 'v'], reversed.map((i) => [i, i + 1])]]],
    [
      'exchange unique values',
      [['update', ['c', 'id', 'u'], all.map((i) => [i, 1000 + ((i + 1) % count)])]],
    ],
    [
      'move rows to other parents',
      [['update', ['c', 'id', 'p'], all.map((i) => [i, count - 1 - i])]],
    ],
    ['delete without references', [['delete', ['n', 'id'], all.map((i) => [i])]]],
    [
      'delete with cascades and set_null',
      [['delete', ['p', 'id'], all.slice(0, 30).map((i) => [i])]],
    ],
    ['delete rows that refer to each other', [['delete', ['c', 'id'], reversed.map((i) => [i])]]],
    [
      'delete, where no_action finds the last reference gone',
      [
        ['create', ['r', 'id', 'c'], [[1, 3]]],
        ['update', ['r', 'id', 'c'], [[1, null]]],
        ['delete', ['c', 'id'], all.map((i) => [i])],
      ],
    ],
    [
      'several statements',
      [
        ['update', ['p', 'id', 'v'], all.map((i) => [i, 5])],
        ['delete', ['c', 'id'], all.slice(40).map((i) => [i])],
        ['create', ['c', 'id', 'p', 'u'], all.map((i) => [500 + i, i, 5000 + i])],
      ],
    ],
  ])('%s', async (__, changes) => {
    const expected = await done(changes, undefined);
    expect(expected.failure).toBeUndefined();
    expect(await done(changes, holdBytes)).toEqual(expected);
  });

  test.each<[string, Change, string]>([
    [
      'a target that does not exist',
      ['update', ['p', 'id', 'v'], [...all.map((i): Row => [i, 1]), [999, 1], [998, 1]]],
      'mutation_target_not_found',
    ],
    [
      'a target twice',
      ['update', ['p', 'id', 'v'], [...reversed.map((i): Row => [i, 1]), [7, 1], [999, 1]]],
      'mutation_target_ambiguous',
    ],
    [
      'a missing target before a repeated one',
      ['delete', ['p', 'id'], [[999], ...reversed.map((i): Row => [i]), [7]]],
      'mutation_target_not_found',
    ],
    [
      'a missing target behind a violation',
      ['update', ['c', 'id', 'p'], [...all.map((i): Row => [i, 999]), [999, 1]]],
      'mutation_target_not_found',
    ],
    [
      'equal unique values',
      ['update', ['c', 'id', 'u'], all.map((i) => [i, i === 50 ? 1 : i])],
      'constraint_violation',
    ],
    [
      'a unique value that another row keeps',
      ['update', ['c', 'id', 'u'], all.slice(1).map((i) => [i, 1000 + i - 1])],
      'constraint_violation',
    ],
    [
      'a parent that does not exist',
      ['update', ['c', 'id', 'p'], all.map((i) => [i, i === 50 ? 999 : 1])],
      'constraint_violation',
    ],
    [
      'a key that exists',
      ['create', ['p', 'id'], [...all.map((i): Row => [100 + i]), [5]]],
      'constraint_violation',
    ],
    [
      'a row of the same table that is not created',
      ['create', ['c', 'id', 'u', 'self'], all.map((i) => [100 + i, i, i === 50 ? 999 : 100])],
      'constraint_violation',
    ],
    [
      'a number of the same table that is not given',
      ['create', ['i', 'v', 'self'], all.map((i) => [i, i === 0 ? count + 1 : 1])],
      'constraint_violation',
    ],
    [
      'a key twice',
      ['create', ['p', 'id'], [...all.map((i): Row => [100 + i]), [100]]],
      'constraint_violation',
    ],
  ])('%s is refused', async (__, change, reason) => {
    const expected = await done([change], undefined);
    const found = await done([change], holdBytes);
    expect(expected.failure).toStartWith(reason);
    expect(found.failure).toStartWith(reason);
  });

  test.each<[string, readonly Row[]]>([
    ['a missing target before a repeated one', [[999], ...reversed.map((i): Row => [i]), [7]]],
    ['a repeated target before a missing one', [...reversed.map((i): Row => [i]), [7], [-1]]],
    ['the second of three equal keys', [[5], ...reversed.map((i): Row => [i]), [5]]],
    ['the first of two missing targets', [[20], [999], [-1], [1]]],
    ['a missing target that is named twice', [[20], [999], [999], [1]]],
  ])('a deletion in any order reports %s', async (__, rows) => {
    const change: Change = ['delete', ['p', 'id'], rows];
    const expected = await done([change], undefined);
    expect(expected.failure).toBeDefined();
    expect((await done([change], holdBytes)).failure).toBe(expected.failure as string);
  });

  test('a reference without an action refuses the whole deletion', async () => {
    const changes: readonly Change[] = [
      ['create', ['r', 'id', 'c'], [[1, 50]]],
      ['delete', ['p', 'id'], all.map((i) => [i])],
    ];
    const expected = await done(changes, undefined);
    expect(expected.failure).toStartWith('constraint_violation');
    expect((await done(changes, holdBytes)).failure).toBe(expected.failure as string);
  });
});

test.each([undefined, 64, 20_000])(
  'an ordered create numbers its rows as they come and returns them so, holding %p bytes',
  async (holdBytes) => {
    const values = all.map((i) => (i * 7) % 11);
    const later: Change = ['ordered create', ['i', 'v', 'self'], values.map((v) => [v, 1])];
    const { rows } = await done(
      [['ordered create', ['i', 'v'], values.map((v) => [v])], later],
      holdBytes,
    );
    expect(rows).toEqual(values.map((v, i) => [count + i + 1, v, count + i + 1, 1]));
  },
);

test('a deletion in any order reads the table once from start to end', async () => {
  const directory = new SpillDirectory();
  const transaction = new ReadKeys();
  await program(filling, transaction, new Memory(64 << 20));
  transaction.keys.length = 0;
  const rows = all.map((i): Row => [(i * 7) % count]);
  const memory = new Memory(64 << 20, undefined, directory.space({ holdBytes: 64 }));
  const { failure } = await program([['delete', ['n', 'id'], rows]], transaction, memory);
  memory.release();
  expect(failure).toBeUndefined();
  expect(transaction.keys).toHaveLength(count);
  expect(transaction.keys).toEqual(transaction.keys.toSorted());
});

/** Records the keys that are looked up in batches. */
class ReadKeys extends MemoryTransaction {
  readonly keys: string[] = [];

  override findAll(batch: KeyBatch) {
    for (const key of batch.keys) this.keys.push(Buffer.from(key).toString('hex'));
    return super.findAll(batch);
  }
}

test('rows that a statement returns can be read by the next one, from the disk too', async () => {
  const directory = new SpillDirectory();
  const transaction = new MemoryTransaction();
  await program(filling, transaction, new Memory(64 << 20));
  const p = new Parameters();
  const rows = p.rows(
    ['int64', 'int64'],
    all.map((i) => [i, 9]),
  );
  const update = mutation('update', catalog, ['p', 'id', 'v'], rows);
  const outcome = await run([update, query('all', scan(tableOf(catalog, 'p')))], {
    catalog,
    transaction,
    parameters: p.values,
    memory: new Memory(64 << 20, undefined, directory.space({ holdBytes: 64 })),
  });
  expect(outcome.statements.map(({ affected }) => affected)).toEqual([count, count]);
  expect(outcome.result?.rows).toEqual(all.map((i) => [i, 9]));
});

test('a full disk ends the statement with a problem', async () => {
  const directory = new SpillDirectory();
  const transaction = new MemoryTransaction();
  await program(filling, transaction, new Memory(64 << 20));
  const memory = new Memory(
    64 << 20,
    undefined,
    directory.space({ holdBytes: 64, limitBytes: 200 }),
  );
  const rows = reversed.map((i): Row => [i, 9]);
  const { failure } = await program([['update', ['p', 'id', 'v'], rows]], transaction, memory);
  expect(failure).toMatch(/^memory_limit: .*the disk has no space for its spill files/);
  memory.release();
  // A file is closed after the write that is under way.
  await new Promise(setImmediate);
  expect(directory.openFiles).toBe(0);
});
