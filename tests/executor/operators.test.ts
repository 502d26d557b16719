/** Operators over rows in the program: each against a plain computation. */

import { describe, expect, test } from 'bun:test';
import type { ApplyPlan, BindingPlan, RelationPlan, SortPlan } from '#planner';
import type { Datum, Row } from '#value';
import { type ChunkedColumn, valueAt } from '../../src/executor/batch/chunked-column.ts';
import { Scratch } from '../../src/executor/batch/vector.ts';
import { Candidates } from '../../src/executor/operators/sort/candidates.ts';
import { outcomeOf } from '../support/outcome.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { MemoryTransaction } from './support/memory-transaction.ts';
import {
  aggregate,
  arith,
  col,
  compare,
  filter,
  fold,
  hashJoin,
  loopJoin,
  node,
  out,
  Parameters,
  project,
  reg,
  scalar,
  slice,
  sort,
} from './support/plans.ts';
import { failureOf, query, rowsOf, run, runNow, testWorld } from './support/run.ts';

/** Sorted as text: for bags. */
const bag = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).sort();

/** Some thousand rows with repeated and NULL keys: key, value. */
function sample(count: number, keys: number, salt: number): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const key = (i * 7919 + salt) % (keys + 1);
    return [key === keys ? null : key, i];
  });
}

describe('joins', () => {
  const left = sample(1500, 700, 1);
  const right = sample(2500, 900, 5);
  const key = (): readonly [ReturnType<typeof col>, ReturnType<typeof col>][] => [
    [col(0, 'int64'), col(0, 'int64')],
  ];

  function joined(kind: 'inner' | 'left', passes: (l: Row, r: Row) => boolean): Row[] {
    return left.flatMap((l) => {
      const pairs = right.filter((r) => passes(l, r)).map((r) => [...l, ...r]);
      return kind === 'left' && pairs.length === 0 ? [[...l, null, null]] : pairs;
    });
  }

  const equal = (l: Row, r: Row) => l[0] !== null && l[0] === r[0];

  test.each([
    ['inner', 'right'],
    ['inner', 'left'],
    ['left', 'right'],
  ] as const)('hash join, %s, %s held', (kind, build) => {
    const p = new Parameters();
    const plan = hashJoin(
      kind,
      p.rows(['int64', 'int64'], left),
      p.rows(['int64', 'int64'], right),
      {
        keys: key(),
        build,
      },
    );
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(joined(kind, equal)));
  });

  test.each([
    ['inner', 'right'],
    ['inner', 'left'],
    ['left', 'right'],
  ] as const)('hash join, %s, %s held, of keys that repeat in any order', (kind, build) => {
    const p = new Parameters();
    const unit = seededRandom(3);
    const side = (count: number): Row[] =>
      Array.from({ length: count }, (_, i) => {
        const key = Math.floor(unit() * 300);
        return [key === 0 ? null : key, i];
      });
    const [one, other] = [side(1_500), side(500)];
    const plan = hashJoin(
      kind,
      p.rows(['int64', 'int64'], one),
      p.rows(['int64', 'int64'], other),
      { keys: key(), build },
    );
    const pairs = one.flatMap((l) => {
      const found = other.filter((r) => equal(l, r)).map((r) => [...l, ...r]);
      return kind === 'left' && found.length === 0 ? [[...l, null, null]] : found;
    });
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(pairs));
  });

  test.each(['inner', 'left'] as const)('hash join, %s, with a residual', (kind) => {
    const p = new Parameters();
    const plan = hashJoin(
      kind,
      p.rows(['int64', 'int64'], left),
      p.rows(['int64', 'int64'], right),
      {
        keys: key(),
        residual: compare('lt', col(1, 'int64'), col(3, 'int64')),
      },
    );
    const passes = (l: Row, r: Row) => equal(l, r) && (l[1] as number) < (r[1] as number);
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(joined(kind, passes)));
  });

  test.each(['inner', 'left'] as const)('loop join, %s', (kind) => {
    const p = new Parameters();
    const plan = loopJoin(
      kind,
      p.rows(['int64', 'int64'], left),
      p.rows(['int64', 'int64'], right),
      compare('eq', col(0, 'int64'), col(0 + 2, 'int64')),
    );
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(joined(kind, equal)));
  });

  test.each(['inner', 'left'] as const)('lookup join, %s, over a spool', (kind) => {
    const p = new Parameters();
    const leftPlan = p.rows(['int64', 'int64'], left);
    const rightPlan = p.rows(['int64', 'int64'], right);
    const plan: RelationPlan = {
      kind: 'lookup_join',
      join: kind,
      left: leftPlan,
      right: {
        kind: 'spool',
        input: rightPlan,
        keys: [col(0, 'int64')],
        probe: [reg(0, 'int64')],
        ...node(rightPlan.output),
      },
      registers: [{ register: 0, columnIndex: 0 }],
      residual: compare('lt', col(1, 'int64'), col(3, 'int64')),
      ...node([...leftPlan.output, ...rightPlan.output]),
    };
    const passes = (l: Row, r: Row) => equal(l, r) && (l[1] as number) < (r[1] as number);
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(joined(kind, passes)));
  });

  test('two keys, one of them text', () => {
    const p = new Parameters();
    const rows: Row[] = [
      [1, 'a'],
      [1, 'b'],
      [2, 'a'],
      [1, null],
      [null, 'a'],
    ];
    const plan = hashJoin(
      'inner',
      p.rows(['int64', 'text'], rows),
      p.rows(['int64', 'text'], rows),
      {
        keys: [
          [col(0, 'int64'), col(0, 'int64')],
          [col(1, 'text'), col(1, 'text')],
        ],
      },
    );
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(
      bag(rows.slice(0, 3).map((row) => [...row, ...row])),
    );
  });
});

describe('aggregates', () => {
  test('groups and folds, NULL is a group', () => {
    const rows = sample(5000, 40, 3);
    const p = new Parameters();
    const plan = aggregate(
      p.rows(['int64', 'int64'], rows),
      [col(0, 'int64')],
      [
        fold('count'),
        fold('count', col(0, 'int64')),
        fold('sum', col(1, 'int64')),
        fold('min', col(1, 'int64')),
        fold('max', col(1, 'int64')),
        fold('avg', col(1, 'int64')),
      ],
    );
    const groups = Map.groupBy(rows, (row) => row[0] as Datum);
    const expected = [...groups].map(([key, members]) => {
      const values = members.map((row) => row[1] as number);
      const sum = values.reduce((a, b) => a + b, 0);
      const known = key === null ? 0 : values.length;
      const range = [Math.min(...values), Math.max(...values)];
      return [key, values.length, known, sum, ...range, sum / values.length];
    });
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(expected));
  });

  test('groups of many batches have their own results', () => {
    const p = new Parameters();
    const unit = seededRandom(9);
    const rows = Array.from({ length: 12_000 }, (_, i): Row => [Math.floor(unit() * 5_000), i]);
    const plan = aggregate(
      p.rows(['int64', 'int64'], rows),
      [col(0, 'int64')],
      [fold('count'), fold('max', col(1, 'int64'))],
    );
    const groups = Map.groupBy(rows, ([key]) => key as number);
    const expected = [...groups].map(([key, of]) => [key, of.length, of.at(-1)?.[1]]);
    expect(expected.length).toBeGreaterThan(4_000);
    expect(bag(rowsOf(plan, { parameters: p.values }))).toEqual(bag(expected as Row[]));
  });

  test('global over nothing', () => {
    const p = new Parameters();
    const plan = aggregate(
      p.rows(['int64'], []),
      [],
      [fold('count'), fold('sum', col(0, 'int64'))],
    );
    expect(rowsOf(plan, { parameters: p.values })).toEqual([[0, null]]);
  });

  test('an integer sum is judged on its total only', () => {
    const max = 2n ** 63n - 1n;
    const sum = (rows: Row[]) => {
      const p = new Parameters();
      const plan = aggregate(p.rows(['int64'], rows), [], [fold('sum', col(0, 'int64'))]);
      return rowsOf(plan, { parameters: p.values });
    };
    expect(sum([[max], [max], [-max], [-3]])).toEqual([[max - 3n]]);
    expect(sum([[2n ** 53n], [-1]])).toEqual([[9007199254740991]]);
    expect(failureOf(() => sum([[max], [1]]))).toMatch(/^numeric_overflow.*overflow/);
  });

  test('a float sum must end finite', () => {
    const p = new Parameters();
    const rows = p.rows(['float64'], [[1e308], [1e308]]);
    const plan = aggregate(rows, [], [fold('sum', col(0, 'float64'))]);
    expect(failureOf(() => rowsOf(plan, { parameters: p.values }))).toContain(
      'non-finite float aggregate',
    );
  });
});

describe('order', () => {
  const rows: Row[] = sample(3000, 50, 11).map(([a, b]) => [
    a as Datum,
    `t${(b as number) % 13}`,
    b as Datum,
  ]);
  const byKeys = (left: Row, right: Row) => {
    const rank = (v: Datum) => (v === null ? -1 : (v as number));
    const first = rank(left[0] as Datum) - rank(right[0] as Datum);
    const second = (left[1] as string) < (right[1] as string) ? 1 : left[1] === right[1] ? 0 : -1;
    return first || second;
  };
  const sorted = rows.toSorted(byKeys);

  test('two terms, NULL first, descending, stable', () => {
    const p = new Parameters();
    const plan = sort(p.rows(['int64', 'text', 'int64'], rows), [[0], [1, true]]);
    expect(rowsOf(plan, { parameters: p.values })).toEqual(sorted);
  });

  test.each([0, 1, 10, 700, 2999, 5000])('the first %p rows', (limit) => {
    const p = new Parameters();
    const plan = sort(p.rows(['int64', 'text', 'int64'], rows), [[0], [1, true]], limit);
    expect(rowsOf(plan, { parameters: p.values })).toEqual(sorted.slice(0, limit));
  });

  /** In the order of the first term alone; what is read of it. */
  function presorted(keys: number, limit: number) {
    const grouped = sample(6000, keys, 11)
      .map(([a, b]): Row => [a as Datum, `t${(b as number) % 13}`, b as Datum])
      .toSorted((left, right) => Number(left[0] ?? -1) - Number(right[0] ?? -1));
    const p = new Parameters();
    const whole = sort(p.rows(['int64', 'text', 'int64'], grouped), [[0], [1, true]], limit);
    const plan = { ...whole, presorted: 1 } as RelationPlan;
    const setting = { parameters: p.values };
    const { result, statements } = runNow([query('q', plan, setting)], setting);
    const [{ operators }] = statements as unknown as [{ operators: { rowsOut: number }[] }];
    expect(result?.rows).toEqual([...rowsOf(whole, setting)]);
    return Math.max(...operators.map(({ rowsOut }) => rowsOut));
  }

  test.each([
    [50, 1],
    [50, 10],
    [50, 117],
    [50, 118],
    [50, 700],
    [2, 10],
    [2, 2500],
    [5000, 5999],
    [5000, 7000],
  ])('of rows that come grouped by %p keys, the first %p', (keys, limit) => {
    expect(presorted(keys, limit)).toBeGreaterThanOrEqual(Math.min(limit, 6000));
  });

  test('rows behind the last that can count are not read', () => {
    expect(presorted(50, 10)).toBeLessThan(400);
    expect(presorted(5000, 10)).toBeLessThan(40);
    expect(presorted(2, 10)).toBeLessThan(4000);
  });

  test.each([
    [false, 'numbers'],
    [true, 'numbers'],
    [false, 'numbers or NULL'],
    [true, 'numbers or NULL'],
  ] as const)('candidates, descending %p, are those of the whole order: %s', (descending, what) => {
    const p = new Parameters();
    const unit = seededRandom(5);
    const limit = 100;
    const terms: [number, boolean?][] = [[0, descending], [1]];
    const candidates = new Candidates(sort(p.rows(['float64', 'int64'], []), terms) as SortPlan);
    const all: [number | null, number][] = [];
    for (let batch = 0; batch < 40; batch++) {
      // Values fall, so that every batch has some that come first in either order.
      const values = Array.from({ length: 300 }, () => Math.floor(unit() * 500) - batch);
      const firsts = what === 'numbers' ? Float64Array.from(values) : [null, ...values.slice(1)];
      const columns = [firsts, values.map((_, i) => 300 * batch + i)];
      const selection = Uint32Array.from(values, (_, i) => i).filter((i) => i % 7 !== 3);
      for (const i of selection) all.push([firsts[i] ?? null, 300 * batch + i]);
      candidates.offer({ columns, selection, count: selection.length }, columns, new Scratch());
      expect(candidates.add(() => undefined)).toBeUndefined();
      if (candidates.length > 2 * limit) candidates.cut(limit, () => undefined);
    }
    candidates.cut(limit, () => undefined);
    const rank = (value: number | null) => (value ?? -1000) * (descending ? -1 : 1);
    const expected = all.toSorted(([a, i], [b, j]) => rank(a) - rank(b) || i - j);
    const [firsts, ids] = candidates.rows.columns as [ChunkedColumn, ChunkedColumn];
    const found = Array.from({ length: limit }, (_, i) => [valueAt(firsts, i), valueAt(ids, i)]);
    expect(found).toEqual(expected.slice(0, limit));
  });

  test('descending is the exact reverse of a term', () => {
    const p = new Parameters();
    const plan = sort(p.rows(['float64'], [[1.5], [null], [-2], [7]]), [[0, true]]);
    expect(rowsOf(plan, { parameters: p.values })).toEqual([[7], [1.5], [-2], [null]]);
  });

  test('slices', () => {
    const p = new Parameters();
    const input = sort(p.rows(['int64', 'text', 'int64'], rows), [[0], [1, true]]);
    expect(rowsOf(slice(input, 1500, 1200), { parameters: p.values })).toEqual(
      sorted.slice(1500, 2700),
    );
    expect(rowsOf(slice(input, 2990), { parameters: p.values })).toEqual(sorted.slice(2990));
  });

  test('a limit of 0 never touches its input', () => {
    const p = new Parameters();
    const failing = project(
      p.rows(['int64'], [[1]]),
      arith('div', col(0, 'int64'), p.lit('int64', 0)),
    );
    expect(rowsOf(slice(failing, 0, 0), { parameters: p.values })).toEqual([]);
  });
});

describe('sets', () => {
  const left: Row[] = [[1], [1], [1], [2], [null], [null], [-0.0], [3]];
  const right: Row[] = [[1], [1], [null], [0], [4]];
  const of = (kind: 'intersect' | 'except', quantifier: 'all' | 'distinct') => {
    const p = new Parameters();
    const inputs = [p.rows(['float64'], left), p.rows(['float64'], right)] as const;
    const [l, r] = inputs;
    const plan: RelationPlan = { kind, quantifier, left: l, right: r, ...node(l.output) };
    return rowsOf(plan, { parameters: p.values });
  };

  test('intersect takes its rows from the left', () => {
    expect(of('intersect', 'all')).toEqual([[1], [1], [null], [-0]]);
    expect(of('intersect', 'distinct')).toEqual([[1], [null], [-0]]);
  });

  test('except', () => {
    expect(of('except', 'all')).toEqual([[1], [2], [null], [3]]);
    expect(of('except', 'distinct')).toEqual([[2], [3]]);
  });

  test('distinct and concatenate', () => {
    const p = new Parameters();
    const inputs = [p.rows(['float64'], left), p.rows(['float64'], right)];
    const both: RelationPlan = { kind: 'concatenate', inputs, ...node(out('float64')) };
    expect(rowsOf(both, { parameters: p.values })).toEqual([...left, ...right]);
    const distinct: RelationPlan = { kind: 'distinct', input: both, ...node(out('float64')) };
    expect(rowsOf(distinct, { parameters: p.values })).toEqual([[1], [2], [null], [-0], [3], [4]]);
  });
});

describe('crossings', () => {
  /** Rows of `inner` whose first column equals the outer row's. */
  function attach(
    p: Parameters,
    kind: ApplyPlan['crossings'][number]['kind'],
    outer: Row[],
  ): RelationPlan {
    const input = p.rows(['int64'], outer);
    const inner = filter(
      p.rows(
        ['int64', 'text'],
        [
          [1, 'a'],
          [2, 'b'],
          [1, 'c'],
        ],
      ),
      compare('eq', col(0, 'int64'), reg(0, 'int64')),
    );
    const plan = kind === 'scalar' ? project(inner, col(1, 'text')) : inner;
    return {
      kind: 'attach',
      input,
      crossings: [
        {
          kind,
          plan,
          registers: [{ register: 0, columnIndex: 0 }],
          column: { name: 'x', type: scalar('text'), nullable: true },
        },
      ],
      ...node([...input.output, ...out('text')]),
    };
  }

  test.each([
    [
      'exists',
      [
        [1, true],
        [3, false],
        [null, false],
        [1, true],
      ],
    ],
    [
      'first',
      [
        [1, [1, 'a']],
        [3, null],
        [null, null],
        [1, [1, 'a']],
      ],
    ],
    [
      'scalar',
      [
        [1, 'a'],
        [3, null],
        [null, null],
        [1, 'a'],
      ],
    ],
    [
      'array',
      [
        [
          1,
          [
            [1, 'a'],
            [1, 'c'],
          ],
        ],
        [3, []],
        [null, []],
        [
          1,
          [
            [1, 'a'],
            [1, 'c'],
          ],
        ],
      ],
    ],
  ] as const)('%s', (kind, expected) => {
    const p = new Parameters();
    const plan = attach(p, kind, [[1], [3], [null], [1]]);
    expect(rowsOf(plan, { parameters: p.values })).toEqual(expected as never);
  });

  test('runs once for each distinct outer value, and not at all without rows', () => {
    const p = new Parameters();
    const rows = Array.from({ length: 3000 }, (_, i) => [i % 5]);
    const outcome = runNow([query('q', attach(p, 'array', rows))], { parameters: p.values });
    const inner = outcome.statements[0]?.operators.find((site) => site.operator === 'filter');
    // Two questions a run: the rows, and the end.
    expect(inner?.calls).toBeLessThanOrEqual(10);
    const none = new Parameters();
    const silent = runNow([query('q', attach(none, 'array', []))], { parameters: none.values });
    expect(silent.statements[0]?.operators.find((site) => site.operator === 'filter')?.calls).toBe(
      0,
    );
  });

  test.each(['exists', 'first', 'scalar', 'array'] as const)(
    '%s: what the values of an earlier batch of outer rows took is free again',
    (kind) => {
      const p = new Parameters();
      const outer = Array.from({ length: 20_000 }, (_, i): Row => [i + 10]);
      const inner = project(
        filter(
          p.rows(['text'], [['x'.repeat(1000)]]),
          compare('ne', reg(0, 'int64'), p.lit('int64', 0)),
        ),
        col(0, 'text'),
      );
      const values = attach(p, kind, outer) as ApplyPlan;
      const crossings = values.crossings.map((crossing) => ({ ...crossing, plan: inner }));
      const counted = aggregate({ ...values, crossings }, [], [fold('count')]);
      // The values of one batch take 1 MiB, those of all 20 MiB.
      const setting = { parameters: p.values, limits: { memoryBytes: 6 << 20 } };
      expect(rowsOf(counted, setting)).toEqual([[20_000]]);
    },
  );
});

describe('bindings', () => {
  test('a derived binding is evaluated once, and only when it is read', () => {
    const p = new Parameters();
    const body = p.rows(
      ['int64', 'text'],
      [
        [1, 'a'],
        [2, 'b'],
      ],
    );
    const binding: BindingPlan = { kind: 'derived', name: 'b', plan: body };
    const ref = (columnIndexes: number[]): RelationPlan => ({
      kind: 'materialized',
      source: { kind: 'binding', name: 'b' },
      columnIndexes,
      ...node(
        columnIndexes.map(
          (columnIndex) => body.output[columnIndex] as (typeof body.output)[number],
        ),
      ),
    });
    const plan = loopJoin(
      'inner',
      ref([1]),
      ref([0, 1]),
      compare('eq', col(0, 'text'), col(2, 'text')),
    );
    const setting = { parameters: p.values, bindings: [binding] };
    const outcome = runNow([query('q', plan, setting)], setting);
    expect(outcome.result?.rows).toEqual([
      ['a', 1, 'a'],
      ['b', 2, 'b'],
    ]);
    expect(outcome.statements[0]?.operators.find((site) => site.operator === 'rows')?.calls).toBe(
      2,
    );
  });

  /** Counts from the anchor up to `limit`. */
  function counting(limit: number, accumulation: 'all' | 'new'): [RelationPlan, object] {
    const p = new Parameters();
    const frontier: RelationPlan = { kind: 'frontier', binding: 'r', ...node(out('int64')) };
    const step = project(
      filter(frontier, compare('lt', col(0, 'int64'), p.lit('int64', limit))),
      arith('add', col(0, 'int64'), p.lit('int64', 1)),
    );
    const anchor = p.rows(['int64'], [[1], [1]]);
    const binding = {
      kind: 'recursive',
      name: 'r',
      anchor,
      step,
      accumulation,
      output: out('int64'),
    };
    const root: RelationPlan = {
      kind: 'materialized',
      source: { kind: 'binding', name: 'r' },
      columnIndexes: [0],
      ...node(out('int64')),
    };
    return [root, { parameters: p.values, bindings: [binding] }];
  }

  test('recursion, with and without duplicates', () => {
    expect(rowsOf(...counting(3, 'new'))).toEqual([[1], [2], [3]]);
    expect(rowsOf(...counting(3, 'all'))).toEqual([[1], [1], [2], [2], [3], [3]]);
  });

  test('recursion ends at its limit', () => {
    expect(rowsOf(...counting(9_000, 'new')).length).toBe(9_000);
    expect(failureOf(() => rowsOf(...counting(20_000, 'new')))).toStartWith('recursion_limit');
  });

  test('ten thousand rounds are run, and not one more', () => {
    // The last round finds nothing new.
    expect(rowsOf(...counting(10_000, 'new')).length).toBe(10_000);
    expect(failureOf(() => rowsOf(...counting(10_001, 'new')))).toStartWith('recursion_limit');
  });

  test('later statements read earlier ones', () => {
    const p = new Parameters();
    const first = query(
      'a',
      p.rows(
        ['int64', 'text'],
        [
          [1, 'x'],
          [2, 'y'],
        ],
      ),
    );
    const ref: RelationPlan = {
      kind: 'materialized',
      source: { kind: 'statement', name: 'a' },
      columnIndexes: [1],
      ...node(out('text')),
    };
    const outcome = runNow([first, query('b', ref)], { parameters: p.values });
    expect(outcome.result?.rows).toEqual([['x'], ['y']]);
    expect(outcome.statements.map(({ name, affected }) => [name, affected])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
    expect(outcome.statements[1]?.operators).toMatchObject([{ calls: 2, rowsOut: 2 }]);
  });
});

describe('cardinality', () => {
  const outcome = (rows: Row[], cardinality: 'exactly_one' | 'first') => {
    const p = new Parameters();
    const statement = { ...query('q', p.rows(['int64'], rows)), cardinality } as ReturnType<
      typeof query
    >;
    return runNow([statement], { parameters: p.values });
  };

  test('exactly one', () => {
    expect(outcome([[1]], 'exactly_one').result?.rows).toEqual([[1]]);
    expect(failureOf(() => outcome([], 'exactly_one'))).toMatch(
      /^cardinality_violation.*expected exactly one row, got none/,
    );
    expect(failureOf(() => outcome([[1], [2]], 'exactly_one'))).toContain('got more');
  });

  test('first is cut, affected counts all', () => {
    const { result, statements } = outcome([[1], [2]], 'first');
    expect(result?.rows).toEqual([[1]]);
    expect(statements[0]?.affected).toBe(2);
  });
});

describe('budgets', () => {
  test('memory', () => {
    const p = new Parameters();
    const rows = Array.from({ length: 20_000 }, (_, i) => [i, `text ${i}`]);
    const plan = sort(p.rows(['int64', 'text'], rows), [[0]]);
    const limits = { memoryBytes: 100_000 };
    const setting = { parameters: p.values, limits };
    expect(failureOf(() => rowsOf(plan, setting))).toStartWith('memory_limit');
    expect(rowsOf(plan, { parameters: p.values }).length).toBe(20_000);
  });

  test('what the transaction remembers of its reads counts, for this statement and the next ones', () => {
    const p = new Parameters();
    const plan = p.rows(['int64'], [[1]]);
    const transaction = new MemoryTransaction();
    const setting = { parameters: p.values, limits: { memoryBytes: 10_000 }, transaction };
    const two = [query('a', plan), query('b', plan)];
    expect(runNow(two, setting).statements.length).toBe(2);
    // What earlier programs of the transaction read is in another account.
    transaction.readBytes = 10_001;
    expect(runNow(two, setting).statements.length).toBe(2);
    let looks = 0;
    const reading = new MemoryTransaction();
    Object.defineProperty(reading, 'readBytes', { get: () => (looks++ === 0 ? 0 : 10_001) });
    expect(failureOf(() => runNow(two, { ...setting, transaction: reading }))).toMatch(
      /^memory_limit.*statement "a"/,
    );
  });

  test('gives way when the slice is over, and ends at the deadline', async () => {
    const p = new Parameters();
    const rows = Array.from({ length: 50_000 }, (_, i) => [i % 977]);
    const plan = sort(aggregate(p.rows(['int64'], rows), [col(0, 'int64')], [fold('count')]), [
      [0],
    ]);
    const world = testWorld(2);
    const outcome = await run([query('q', plan)], { parameters: p.values, world });
    expect(outcome.result?.rows.length).toBe(977);
    expect(world.yields).toBeGreaterThan(5);
    const late = run([query('q', plan)], {
      parameters: p.values,
      world: testWorld(2),
      limits: { timeoutMs: 20 },
    });
    expect(await outcomeOf(late)).toThrow(/longer than 20 ms/);
  });

  test('a sort ends at a deadline that passes while it sorts', async () => {
    const p = new Parameters();
    const rows = Array.from({ length: 50_000 }, (_, i) => [(i * 7919) % 50_021]);
    const source = p.rows(['int64'], rows);
    const looksOf = async (plan: RelationPlan) => {
      const world = testWorld(1);
      const startedMs = world.clock.monotonicMs();
      await run([query('q', plan)], { parameters: p.values, world });
      return world.clock.monotonicMs() - startedMs;
    };
    const reading = await looksOf(source);
    const limits = { timeoutMs: reading + 150 };
    const late = run([query('q', sort(source, [[0]]))], {
      parameters: p.values,
      world: testWorld(1),
      limits,
    });
    expect(await outcomeOf(late)).toThrow('ran longer than');
  });

  test('ten thousand operators deep', () => {
    const p = new Parameters();
    let plan = p.rows(['int64'], [[1], [2], [3]]);
    const predicate = compare('gte', col(0, 'int64'), p.lit('int64', 2));
    for (let i = 0; i < 10_000; i++) plan = filter(plan, predicate);
    expect(rowsOf(plan, { parameters: p.values })).toEqual([[2], [3]]);
  });
});
