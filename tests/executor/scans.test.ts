/** Access paths over stored rows, each with and without waiting. */

import { describe, expect, test } from 'bun:test';
import type { Column, Index } from '#catalog';
import type { DatabaseError } from '#failure';
import type { PlanExpression, RelationPlan } from '#planner';
import type { Direction, EntryCursor, KeyRange, ZoneBound } from '#storage';
import type { Row } from '#value';
import { MemoryTransaction } from './support/memory-transaction.ts';
import {
  aggregate,
  arith,
  col,
  compare,
  filter,
  fold,
  hashJoin,
  interval,
  loopJoin,
  node,
  out,
  Parameters,
  project,
  reg,
  scan,
  slice,
  sort,
} from './support/plans.ts';
import { catalogOf, mutation, query, rowsBothWays, runNow, tableOf } from './support/run.ts';

const catalog = catalogOf({
  name: 't',
  columns: [
    { name: 'a', type: 'int64' },
    { name: 'b', type: 'text' },
    { name: 'c', type: 'int64', nullable: true },
    { name: 'u', type: 'int64', nullable: true },
  ],
  primary_key: ['a', 'b'],
  indexes: [
    { name: 'by_c', columns: ['c'] },
    { name: 'u', columns: ['u'], unique: true },
  ],
});
const table = tableOf(catalog, 't');
const index = (name: string) => table.indexes.find((i) => i.name === name) as Index;

const rows: Row[] = Array.from({ length: 2400 }, (_, i) => [
  Math.floor(i / 3),
  'xyz'.charAt(i % 3),
  i % 7 === 0 ? null : i % 50,
  i % 4 === 0 ? null : i,
]);

function filled(): MemoryTransaction {
  const transaction = new MemoryTransaction();
  const p = new Parameters();
  const input = p.rows(['int64', 'text', 'int64', 'int64'], rows);
  runNow([mutation('create', catalog, ['t', 'a', 'b', 'c', 'u'], input)], {
    catalog,
    transaction,
    parameters: p.values,
  });
  return transaction;
}

const transaction = filled();

describe('by primary key', () => {
  test('the whole table, both ways', async () => {
    expect(await rowsBothWays(scan(table), { transaction })).toEqual(rows);
    const reverse = scan(table, { reverse: true });
    expect(await rowsBothWays(reverse, { transaction })).toEqual(rows.toReversed());
  });

  test('a point is one read and no cursor', async () => {
    const p = new Parameters();
    const at = interval([p.lit('int64', 5), p.lit('text', 'y')]);
    const plan = scan(table, { access: { kind: 'primary', interval: at } });
    const before = transaction.gets;
    const setting = { transaction, parameters: p.values };
    expect(await rowsBothWays(plan, setting)).toEqual(rows.slice(16, 17));
    expect(transaction.gets - before).toBe(1);
  });

  test('a point counts its calls and its row', () => {
    const p = new Parameters();
    const at = interval([p.lit('int64', 5), p.lit('text', 'y')]);
    const plan = scan(table, { access: { kind: 'primary', interval: at } });
    // A point alone is read without operators.
    const root = query('q', slice(plan, 0));
    const { statements } = runNow([root], { transaction, parameters: p.values });
    const [{ operators }] = statements as unknown as [{ operators: readonly object[] }];
    expect(operators[0]).toMatchObject({ calls: 2, rowsOut: 1 });
  });

  test('a prefix, an interval, an empty one, and NULL', async () => {
    const p = new Parameters();
    const setting = { transaction, parameters: p.values };
    const primary = (of: ReturnType<typeof interval>, reverse = false) =>
      rowsBothWays(scan(table, { access: { kind: 'primary', interval: of }, reverse }), setting);
    expect(await primary(interval([p.lit('int64', 7)]))).toEqual(rows.slice(21, 24));
    const five = { value: p.lit('int64', 5), inclusive: true };
    const eight = { value: p.lit('int64', 8), inclusive: false };
    expect(await primary(interval([], { lower: five, upper: eight }), true)).toEqual(
      rows.slice(15, 24).toReversed(),
    );
    expect(await primary(interval([], { lower: eight, upper: five }))).toEqual([]);
    expect(await primary(interval([p.lit('int64', null)]))).toEqual([]);
  });
});

describe('the first rows by a stored column', () => {
  const limits = [1, 10, 900, 2399, 5000];
  const orders = [
    ['numbers that are never NULL', 0],
    ['text', 1],
    ['numbers or NULL', 2],
  ] as const;
  const rank = (row: Row, column: number) => (row[column] ?? -1) as number | string;

  test.each(
    orders.flatMap(([name, column]) =>
      [false, true].flatMap((isDescending) =>
        limits.map((limit) => [name, isDescending ? 'down' : 'up', limit, column] as const),
      ),
    ),
  )('%s, %swards, the first %d', async (_, direction, limit, column) => {
    const sign = direction === 'up' ? 1 : -1;
    const whole = rows.toSorted((left, right) => {
      const [a, b] = [rank(left, column), rank(right, column)];
      if (a !== b) return a < b ? -sign : sign;
      return (right[0] as number) - (left[0] as number);
    });
    // Rows arrive in both orders of their key, so that few or most of a batch sort before the last row kept.
    for (const reverse of [false, true]) {
      const terms: [number, boolean][] = [
        [column, direction === 'down'],
        [0, true],
      ];
      const found = await rowsBothWays(sort(scan(table, { reverse }), terms, limit), {
        transaction,
      });
      expect(found.map((row) => row[column])).toEqual(
        whole.slice(0, limit).map((row) => row[column] as never),
      );
      expect(found.map((row) => row[0])).toEqual(
        whole.slice(0, limit).map((row) => row[0] as never),
      );
    }
  });
});

describe('by index', () => {
  const byIndex = (name: string, of: ReturnType<typeof interval>, reverse = false) =>
    scan(table, { access: { kind: 'index', index: index(name), interval: of }, reverse });

  test('rows come in index order', async () => {
    const p = new Parameters();
    const upper = { value: p.lit('int64', 20), inclusive: true };
    const found = await rowsBothWays(byIndex('by_c', interval([], { upper })), {
      transaction,
      parameters: p.values,
    });
    const expected = rows
      .filter((row) => row[2] !== null && (row[2] as number) <= 20)
      .toSorted((x, y) => (x[2] as number) - (y[2] as number));
    expect(found).toEqual(expected);
  });

  test('IS NULL, and all entries backwards', async () => {
    const isNull = byIndex('by_c', interval([null]));
    expect(await rowsBothWays(isNull, { transaction })).toEqual(
      rows.filter((row) => row[2] === null),
    );
    const all = byIndex('u', interval([]), true);
    expect((await rowsBothWays(all, { transaction })).length).toBe(rows.length);
  });

  test('a unique point', async () => {
    const p = new Parameters();
    const plan = byIndex('u', interval([p.lit('int64', 101)]));
    expect(await rowsBothWays(plan, { transaction, parameters: p.values })).toEqual([
      rows[101] as Row,
    ]);
    const q = new Parameters();
    const none = byIndex('u', interval([q.lit('int64', 100)]));
    expect(await rowsBothWays(none, { transaction, parameters: q.values })).toEqual([]);
  });

  test('a limit reads no further than it needs', async () => {
    const before = transaction.gets;
    const plan = slice(byIndex('by_c', interval([null])), 0, 10);
    expect((await rowsBothWays(plan, { transaction })).length).toBe(10);
    expect(transaction.gets - before).toBe(10);
  });
});

describe('several values of a key column', () => {
  const within = (p: Parameters, ...values: (number | null)[]) =>
    interval([], { among: values.map((value) => p.lit('int64', value)) });

  test.each([false, true])('of the primary key, backward %p', async (reverse) => {
    const p = new Parameters();
    // Twice the same one, one that is not there, and NULL, which equals nothing.
    const access = { kind: 'primary', interval: within(p, 700, 5, 9_999, 700, null) } as const;
    const setting = { transaction, parameters: p.values };
    const found = await rowsBothWays(scan(table, { access, reverse }), setting);
    const expected = rows.filter(([a]) => a === 5 || a === 700);
    expect(found).toEqual(reverse ? expected.toReversed() : expected);
  });

  test('behind a prefix', async () => {
    const p = new Parameters();
    const among = [p.lit('text', 'z'), p.lit('text', 'x')];
    const access = {
      kind: 'primary',
      interval: interval([p.lit('int64', 7)], { among }),
    } as const;
    const setting = { transaction, parameters: p.values };
    expect(await rowsBothWays(scan(table, { access }), setting)).toEqual([
      rows[21] as Row,
      rows[23] as Row,
    ]);
  });

  test.each([false, true])('of an index, its rows needed %p', async (isCovered) => {
    const p = new Parameters();
    const access = { kind: 'index', index: index('by_c'), interval: within(p, 41, 3) } as const;
    const columns = table.columns.slice(0, 3);
    const plan = scan(table, { access, columns, isCovered });
    const found = await rowsBothWays(plan, { transaction, parameters: p.values });
    const of = (c: number) => rows.filter((row) => row[2] === c).map((row) => row.slice(0, 3));
    expect(found).toEqual([...of(3), ...of(41)]);
  });

  test('none of them', async () => {
    const p = new Parameters();
    const access = { kind: 'primary', interval: within(p, null) } as const;
    const setting = { transaction, parameters: p.values };
    expect(await rowsBothWays(scan(table, { access }), setting)).toEqual([]);
  });
});

describe('rows out of an index alone', () => {
  const covered = (name: string, of: ReturnType<typeof interval>, ...ordinals: number[]) =>
    scan(table, {
      access: { kind: 'index', index: index(name), interval: of },
      columns: ordinals.map((ordinal) => table.columns[ordinal] as (typeof table.columns)[number]),
      isCovered: true,
    });

  test('the key and the indexed column, NULL among them, and no row is fetched', async () => {
    const before = transaction.gets;
    const found = await rowsBothWays(covered('by_c', interval([]), 1, 2, 0), { transaction });
    const byC = (row: Row) => (row[2] === null ? -1 : (row[2] as number));
    const expected = rows.toSorted((x, y) => byC(x) - byC(y)).map(([a, b, c]) => [b, c, a]);
    expect(found).toEqual(expected as Row[]);
    expect(transaction.gets).toBe(before);
  });

  test('a unique index, whose entries hold the key in their value unless one member is NULL', async () => {
    const found = await rowsBothWays(covered('u', interval([]), 3, 0, 1), { transaction });
    const byU = (row: Row) => (row[3] === null ? -1 : (row[3] as number));
    const expected = rows.toSorted((x, y) => byU(x) - byU(y)).map(([a, b, , u]) => [u, a, b]);
    expect(found).toEqual(expected as Row[]);
  });

  test('no column at all', async () => {
    const found = await rowsBothWays(covered('by_c', interval([null])), { transaction });
    expect(found.length).toBe(rows.filter((row) => row[2] === null).length);
  });
});

test('operators above wait as well', async () => {
  const p = new Parameters();
  const inner = scan(table, {
    access: { kind: 'primary', interval: interval([reg(0, 'int64')]) },
  });
  const joined = hashJoin(
    'inner',
    scan(table),
    scan(table, { columns: table.columns.slice(0, 2) }),
    {
      keys: [
        [col(0, 'int64'), col(0, 'int64')],
        [col(1, 'text'), col(1, 'text')],
      ],
    },
  );
  expect((await rowsBothWays(joined, { transaction })).length).toBe(rows.length);
  const input = p.rows(['int64'], [[3], [900], [4]]);
  const attach = {
    kind: 'attach' as const,
    input,
    crossings: [
      {
        kind: 'array' as const,
        plan: inner,
        registers: [{ register: 0, columnIndex: 0 }],
        column: {
          name: 'x',
          type: { kind: 'array' as const, columns: out('int64') },
          nullable: false,
        },
      },
    ],
    ...node([...input.output, ...out('text')]),
  };
  expect(await rowsBothWays(attach, { transaction, parameters: p.values })).toEqual([
    [3, rows.slice(9, 12)],
    [900, []],
    [4, rows.slice(12, 15)],
  ]);
});

test('every cursor is closed', () => {
  runNow([query('q', slice(scan(table), 0, 5))], { transaction });
  expect(transaction.openCursors).toBe(0);
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** Sees the bounds that scans are opened with: as they were then, and as they are in the end. */
class Watched extends MemoryTransaction {
  readonly opened: ZoneBound[][] = [];
  last: readonly ZoneBound[] = [];

  override scan(
    range: KeyRange,
    direction: Direction,
    bounds: readonly ZoneBound[] = [],
  ): EntryCursor {
    this.opened.push(bounds.map((bound) => ({ ...bound })));
    this.last = bounds;
    return super.scan(range, direction);
  }
}

describe('a sort of which the first rows are wanted draws a bound on what is read:', () => {
  const [a, , c] = table.columns as [Column, Column, Column];
  const numbers = scan(table, { columns: [c, a] });
  const endless = [-Infinity, Infinity];
  const endsOf = (bounds: readonly ZoneBound[]) =>
    bounds.map((bound) => (bound.kind === 'number' ? [bound.min, bound.max] : [bound]));
  const columnsOf = (bounds: readonly ZoneBound[]) => bounds.map(({ column }) => column);
  const watch = (plan: RelationPlan, parameters: Parameters['values'] = []) => {
    const watched = new Watched(0, transaction.entries);
    runNow([query('q', plan)], { transaction: watched, parameters });
    return watched;
  };

  test('downwards', () => {
    const { last } = watch(sort(numbers, [[0, true]], 3));
    expect(columnsOf(last)).toEqual([c.physicalId]);
    expect(endsOf(last)).toEqual([[49, Infinity]]);
  });

  test('upwards', () => {
    const { last } = watch(sort(numbers, [[1]], 3));
    expect(columnsOf(last)).toEqual([a.physicalId]);
    expect(endsOf(last)).toEqual([[-Infinity, 0]]);
  });

  test('not upwards where NULL comes first', () => {
    const { last } = watch(sort(numbers, [[0]], 3));
    expect(endsOf(last)).toEqual([endless]);
  });

  test('of the column that a projection has put there', () => {
    const turned = project(numbers, col(1, 'int64'), col(0, 'int64'));
    const { last } = watch(sort(turned, [[1, true]], 3));
    expect(columnsOf(last)).toEqual([c.physicalId]);
    expect(endsOf(last)).toEqual([[49, Infinity]]);
  });

  test('of a text', () => {
    const upwards = watch(sort(scan(table), [[1]], 3)).last;
    expect(upwards).toMatchObject([{ kind: 'text', least: undefined, greatest: bytes('x') }]);
    const downwards = watch(sort(scan(table), [[1, true]], 3)).last;
    expect(downwards).toMatchObject([{ kind: 'text', least: bytes('z'), greatest: undefined }]);
  });

  test('not where every block is to be read, and not when all rows are wanted', () => {
    const readsAll = scan(table, { columns: [c, a], readsAll: true });
    expect(watch(sort(readsAll, [[0, true]], 3)).last).toEqual([]);
    const isHigh = compare('gte', col(0, 'int64'), reg(0, 'int64'));
    expect(watch(filter(readsAll, isHigh)).last).toEqual([]);
    expect(watch(sort(numbers, [[0, true]])).last).toEqual([]);
  });

  test('anew for each run', () => {
    const p = new Parameters();
    const input = p.rows(['int64'], [[3], [4]]);
    const isHigh = compare('gte', col(0, 'int64'), reg(0, 'int64'));
    const best = {
      kind: 'array' as const,
      plan: sort(filter(numbers, isHigh), [[0, true]], 3),
      registers: [{ register: 0, columnIndex: 0 }],
      column: {
        name: 'x',
        type: { kind: 'array' as const, columns: out('int64', 'int64') },
        nullable: false,
      },
    };
    const attach = {
      kind: 'attach' as const,
      input,
      crossings: [best],
      ...node([...input.output, ...out('text')]),
    };
    const { opened, last } = watch(attach, p.values);
    expect(opened.map(endsOf)).toEqual([
      [[3, Infinity], endless],
      [[4, Infinity], endless],
    ]);
    expect(endsOf(last)).toEqual([
      [4, Infinity],
      [49, Infinity],
    ]);
  });
});

test('what is looked for in a set of numbers bounds what is read by the least and the greatest of them', () => {
  const [a, , c] = table.columns as [Column, Column, Column];
  const boundsOf = (...values: (number | bigint | null)[]) => {
    const p = new Parameters();
    for (const value of values) p.lit('int64', value);
    const members = values.map((_, i) => i);
    const type = { kind: 'bool' as const };
    const operand = col(0, 'int64');
    const among = { kind: 'among' as const, operand, members, operandType: 'int64' as const, type };
    const watched = new Watched(0, transaction.entries);
    const plan = filter(scan(table, { columns: [c, a] }), among);
    runNow([query('q', plan)], { transaction: watched, parameters: p.values });
    return watched.last;
  };
  const bound = { kind: 'number' as const, column: c.physicalId, isFloat: c.type === 'float64' };
  expect(boundsOf(7, null, 3, 5)).toEqual([{ ...bound, min: 3, max: 7 }]);
  expect(boundsOf(7, 2n ** 60n)).toEqual([]);
});

describe('a filter bounds what is read:', () => {
  const [, b, c] = table.columns as [Column, Column, Column];
  const input = scan(table, { columns: [b, c] });
  const type = { kind: 'bool' as const };
  const boundsOf = (predicate: PlanExpression, parameters: Parameters['values'] = []) => {
    const watched = new Watched(0, transaction.entries);
    runNow([query('q', filter(input, predicate))], { transaction: watched, parameters });
    return watched.last;
  };
  const ofText = { kind: 'text' as const, column: b.physicalId };

  test('by texts', () => {
    const p = new Parameters();
    const text = p.lit('text', 'y');
    const bound = (op: 'lt' | 'gte' | 'eq' | 'ne') =>
      boundsOf(compare(op, col(0, 'text'), text), p.values);
    expect(bound('lt')).toEqual([{ ...ofText, least: undefined, greatest: bytes('y') }]);
    expect(bound('gte')).toEqual([{ ...ofText, least: bytes('y'), greatest: undefined }]);
    expect(bound('eq')).toEqual([{ ...ofText, least: bytes('y'), greatest: bytes('y') }]);
    expect(bound('ne')).toEqual([]);
  });

  test('by as much of a text as counts, cut between characters or not', () => {
    const p = new Parameters();
    const long = `${'k'.repeat(38)}\u{1f600}${'m'.repeat(50)}`;
    const [bound] = boundsOf(compare('gte', col(0, 'text'), p.lit('text', long)), p.values);
    expect(bound).toEqual({ ...ofText, least: bytes(long).subarray(0, 40), greatest: undefined });
  });

  test('by what a set of texts has, and by what a pattern begins with', () => {
    const p = new Parameters();
    for (const value of ['y', null, '\u{1f600}', '\uffee']) p.lit('text', value);
    const members = [0, 1, 2, 3];
    const operand = col(0, 'text');
    const among = { kind: 'among' as const, operand, members, operandType: 'text' as const, type };
    expect(boundsOf(among, p.values)).toEqual([
      { ...ofText, least: bytes('y'), greatest: bytes('\u{1f600}') },
    ]);
    const match = (comparison: 'exact' | 'unicode_simple_fold', isAnywhere: boolean) =>
      boundsOf({
        kind: 'text_match',
        value: col(0, 'text'),
        parts: [
          ...(isAnywhere ? [{ kind: 'any_many' as const }] : []),
          { kind: 'literal', value: 'ab' },
          { kind: 'any_many' },
        ],
        comparison,
        type,
      });
    const [bound] = match('exact', false);
    expect(bound).toMatchObject({ ...ofText, least: bytes('ab') });
    const greatest = (bound as { greatest: Uint8Array }).greatest;
    expect([...greatest]).toEqual([0x61, 0x62, ...Array.from({ length: 38 }, () => 0xff)]);
    expect(match('unicode_simple_fold', false)).toEqual([]);
    expect(match('exact', true)).toEqual([]);
  });

  test('by NULL, and by anything else', () => {
    const unary = (op: 'is_null' | 'is_not_null' | 'not', operand: PlanExpression) =>
      ({ kind: 'unary', op, operand, type }) as const;
    const column = col(1, 'int64');
    const none = { kind: 'null' as const, column: c.physicalId };
    const some = { kind: 'value' as const, column: c.physicalId };
    expect(boundsOf(unary('is_null', column))).toEqual([none]);
    expect(boundsOf(unary('is_not_null', column))).toEqual([some]);
    expect(boundsOf(unary('not', unary('is_null', column)))).toEqual([some]);
    expect(boundsOf(unary('not', unary('is_not_null', column)))).toEqual([none]);
    expect(boundsOf(unary('not', unary('not', unary('is_null', column))))).toEqual([none]);
  });
});

describe('when a row cannot be computed, every cursor is closed, and the operator is named:', () => {
  const p = new Parameters();
  const quotient = arith('div', p.lit('int64', 1), p.lit('int64', 0));
  const isOne = compare('eq', quotient, col(0, 'int64'));
  const failing = project(scan(table), quotient);
  const few = p.rows(['int64'], [[1], [2]]);
  const keys = { keys: [[col(0, 'int64'), col(0, 'int64')] as [PlanExpression, PlanExpression]] };
  test.each([
    ['project', failing, 'project'],
    ['filter', filter(scan(table), isOne), 'filter'],
    [
      'filter above it',
      filter(failing, compare('eq', col(0, 'int64'), col(0, 'int64'))),
      'project',
    ],
    ['sort above it', sort(failing, [[0]]), 'project'],
    ['slice above it', slice(failing, 0, 5), 'project'],
    ['aggregate above it', aggregate(failing, [], [fold('count')]), 'project'],
    ['aggregate', aggregate(scan(table), [], [fold('sum', quotient)]), 'aggregate'],
    ['hash join above it', hashJoin('inner', failing, few, keys), 'project'],
    ['loop join above it', loopJoin('inner', few, failing, isOne), 'project'],
    ['loop join', loopJoin('inner', few, scan(table), isOne), 'loop_join'],
  ] as const)('%s', (_, plan, operator) => {
    let failure: DatabaseError | undefined;
    try {
      runNow([query('q', plan)], { transaction, parameters: p.values });
    } catch (error) {
      failure = error as DatabaseError;
    }
    expect(failure?.failure).toMatchObject({
      reason: 'division_by_zero',
      execution: { operator },
    });
    expect(transaction.openCursors).toBe(0);
  });
});
