/** Sorts, groups, distinct rows and joins that put down what memory does not hold: as if it held everything. */

import { describe, expect, spyOn, test } from 'bun:test';
import { Memory } from '#executor';
import type { RelationPlan } from '#planner';
import { ByteString, type Datum, type DatumType, type Row, type ScalarType } from '#value';
import { ProgramSpill } from '../../src/executor/spill/program-spill.ts';
import { SpilledRows } from '../../src/executor/spill/spilled-rows.ts';
import { outcomeOf } from '../support/outcome.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { SpillDirectory } from '../support/spill-directory.ts';
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
  slice,
  sort,
} from './support/plans.ts';
import { failureOf, query, rowsOf, run, runNow, type Setting, testWorld } from './support/run.ts';

const types = ['int64', 'text', 'float64', 'bytes', 'bool', 'int64'] as const;

/** Values that are easily taken for another one. */
const values: Readonly<Record<ScalarType, readonly Datum[]>> = {
  int64: [0, 1, -1, 2 ** 53 - 1, 9007199254740993n, -9007199254740993n, 4_294_967_296],
  text: ['', 'a', 'ä', '🙂', '\uffff', 'a\u0000', 'x'.repeat(300)],
  float64: [0, -0, 0.1, 1, -1e300, 5e-324],
  bytes: [new ByteString(new Uint8Array(0)), new ByteString(Uint8Array.of(0, 255), 'uuid')],
  bool: [true, false],
};

/** The last column numbers the rows. */
function sample(count: number, keys: number, seed: number): Row[] {
  const unit = seededRandom(seed);
  const pick = (type: ScalarType): Datum => {
    const roll = unit();
    if (roll < 0.1) return null;
    const known = values[type];
    if (roll < 0.4) return known[Math.floor(unit() * known.length)] as Datum;
    const number = Math.floor(unit() * keys);
    if (type === 'text') return `key ${number}`;
    return type === 'int64' || type === 'float64'
      ? number
      : (known[number % known.length] as Datum);
  };
  return Array.from({ length: count }, (_, i) => [...types.slice(0, 5).map(pick), i]);
}

const text = (row: Row) =>
  JSON.stringify(row, (_, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    return Object.is(value, -0) ? '-0' : value;
  });
const bag = (rows: readonly Row[]) => rows.map(text).sort();

/** The rows with everything held, and with a directory that takes all that is beyond `holdBytes`. */
async function bothWays(plan: RelationPlan, parameters: Parameters['values'], holdBytes: number) {
  const directory = new SpillDirectory();
  const space = directory.space({ holdBytes });
  const held = rowsOf(plan, { parameters });
  const outcome = await run([query('q', plan)], { parameters, spill: space });
  expect(space.writtenBytes).toBeGreaterThan(0);
  await settled();
  expect(directory).toMatchObject({ openFiles: 0, names: new Set() });
  expect(space).toMatchObject({ files: 0, usedBytes: 0 });
  return { held, put: outcome.result?.rows ?? [], space };
}

/** Memory in bytes that is accounted when the operators have spilled, and were read to their end and closed. */
async function unreleasedBytes(
  plan: RelationPlan,
  parameters: Parameters['values'],
  holdBytes: number,
): Promise<number> {
  const space = new SpillDirectory().space({ holdBytes });
  const memory = new Memory(256 << 20, undefined, space);
  let bytes = Number.NaN;
  spyOn(memory, 'keepOnly').mockImplementation(() => {
    bytes = memory.usedBytes;
  });
  // All rows are read, and none is part of the result.
  const outcome = await run([query('q', slice(plan, 1_000_000, 1_000_000))], {
    parameters,
    memory,
  });
  expect(outcome.result?.rows).toEqual([]);
  expect(space.writtenBytes).toBeGreaterThan(0);
  await settled();
  return bytes;
}

/** Files are closed behind their writes. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What the plan fails with. */
async function failing(
  plan: RelationPlan,
  { values: parameters }: Parameters,
  spill: Setting['spill'],
  memoryBytes = 256 << 20,
  { world = testWorld(), timeoutMs = 0 } = {},
): Promise<string> {
  const limits = { memoryBytes, timeoutMs };
  const setting = { parameters, limits, world, ...(spill && { spill }) };
  try {
    await run([query('q', plan)], setting);
  } catch (error) {
    return failureOf(() => {
      throw error;
    });
  }
  return 'no failure';
}

describe('a sort', () => {
  test.each([
    [1000, [[0], [1, true]]],
    [20_000, [[1], [3]]],
    [300_000, [[2, true], [4], [0, true]]],
  ] as const)(
    'that holds %d bytes keeps the order, and that of rows that tie',
    async (hold, terms) => {
      const p = new Parameters();
      const plan = sort(
        p.rows([...types], sample(6000, 40, hold)),
        terms as unknown as [number, boolean?][],
      );
      const { held, put } = await bothWays(plan, p.values, hold);
      expect(put.map(text)).toEqual(held.map(text));
    },
  );

  test('stops at a limit above what is kept anyway', async () => {
    const p = new Parameters();
    const plan = sort(p.rows([...types], sample(20_000, 5000, 3)), [[0]], 9000);
    const { held, put } = await bothWays(plan, p.values, 50_000);
    expect(put).toHaveLength(9000);
    expect(put.map(text)).toEqual(held.map(text));
  });
});

describe('groups', () => {
  const folds = [
    fold('count'),
    fold('sum', col(5, 'int64')),
    fold('sum', col(2, 'float64')),
    fold('avg', col(2, 'float64')),
    fold('min', col(1, 'text')),
    fold('max', col(5, 'int64')),
  ];

  test.each([
    [2000, ['int64', 0]],
    [100, ['text', 1]],
    [30_000, ['float64', 2]],
  ] as const)(
    'that hold %d bytes are whole, sums of floats to the bit',
    async (hold, [type, columnIndex]) => {
      const p = new Parameters();
      const keys = [col(columnIndex, type), col(4, 'bool')];
      const plan = aggregate(p.rows([...types], sample(8000, 3000, hold)), keys, folds);
      const { held, put } = await bothWays(plan, p.values, hold);
      expect(held.length).toBeGreaterThan(3000);
      expect(bag(put)).toEqual(bag(held));
    },
  );

  test.each([20_000, 150_000])('of columns of a build side are whole at %d bytes', async (hold) => {
    const p = new Parameters();
    const dimensions = sample(200, 50, 4);
    const facts = sample(8000, 200, 5);
    const joined = hashJoin('left', p.rows([...types], facts), p.rows([...types], dimensions), {
      keys: [[col(0, 'int64'), col(5, 'int64')]],
    });
    const keys = [col(7, 'text'), col(1, 'text'), col(6, 'int64')];
    // Sums of floats depend on the order of the rows, which a spilled join changes.
    const plan = aggregate(joined, keys, [fold('count'), fold('max', col(5, 'int64'))]);
    const { held, put } = await bothWays(plan, p.values, hold);
    expect(held.length).toBeGreaterThan(3000);
    expect(bag(put)).toEqual(bag(held));
  });

  test('are all judged before the first one goes out', async () => {
    const p = new Parameters();
    const huge: Row[] = [-77, -77].map((key) => [key, 9223372036854775807n]);
    const rows = sample(4000, 4000, 9).map(([key], i): Row => [key as Datum, i]);
    const input = p.rows(['int64', 'int64'], [...rows, ...huge]);
    const plan = aggregate(input, [col(0, 'int64')], [fold('sum', col(1, 'int64'))]);
    const first: RelationPlan = {
      kind: 'slice',
      input: plan,
      offset: 0,
      limit: 1,
      ...node(plan.output),
    };
    const space = new SpillDirectory().space({ holdBytes: 500 });
    expect(await failing(first, p, space)).toStartWith('numeric_overflow');
    expect(space.writtenBytes).toBeGreaterThan(0);
  });
});

test('distinct rows with nested values need memory for a part of them only', async () => {
  const p = new Parameters();
  const columns = out('int64', 'text');
  const nested = (i: number): Row[] => [
    [i % 5000, 'x'.repeat(100)],
    [null, `text ${i % 3}`],
  ];
  const rows = Array.from({ length: 15000 }, (_, i): Row => [nested(i), nested(i)[0] as Row]);
  const input = p.rows(
    [
      { kind: 'array', columns },
      { kind: 'row', columns },
    ],
    rows,
  );
  const space = new SpillDirectory().space({ holdBytes: 50_000 });
  const distinct: RelationPlan = { kind: 'distinct', input, ...node(input.output) };
  const outcome = await run([query('q', aggregate(distinct, [], [fold('count')]))], {
    parameters: p.values,
    limits: { memoryBytes: 1_500_000 },
    spill: space,
  });
  expect(outcome.result?.rows).toEqual([[15000]]);
});

test('distinct rows go out once', async () => {
  const p = new Parameters();
  const input = p.rows(
    ['int64', 'text'],
    sample(9000, 900, 4).map(([a, b]) => [a as Datum, b as Datum]),
  );
  const plan: RelationPlan = { kind: 'distinct', input, ...node(input.output) };
  const { held, put } = await bothWays(plan, p.values, 3000);
  expect(bag(put)).toEqual(bag(held));
});

describe('a hash join', () => {
  const sides = (p: Parameters) =>
    [p.rows([...types], sample(2500, 1000, 1)), p.rows([...types], sample(2000, 1000, 2))] as const;

  test.each([
    ['inner', 'right', 1000],
    ['inner', 'left', 40_000],
    ['left', 'right', 1000],
    ['left', 'right', 200_000],
  ] as const)(
    '%s, %s held up to a bound, joins what belongs together',
    async (join, build, hold) => {
      const p = new Parameters();
      const [left, right] = sides(p);
      const plan = hashJoin(join, left, right, {
        keys: [
          [col(0, 'int64'), col(0, 'int64')],
          [col(1, 'text'), col(1, 'text')],
        ],
        build,
      });
      const { held, put } = await bothWays(plan, p.values, hold);
      expect(bag(put)).toEqual(bag(held));
    },
  );

  test.each(['inner', 'left'] as const)('%s, passes pairs by its residual', async (join) => {
    const p = new Parameters();
    const [left, right] = sides(p);
    const plan = hashJoin(join, left, right, {
      keys: [[col(2, 'float64'), col(2, 'float64')]],
      residual: compare('lt', col(5, 'int64'), col(11, 'int64')),
    });
    const { held, put } = await bothWays(plan, p.values, 100_000);
    expect(bag(put)).toEqual(bag(held));
  });

  test.each([
    ['inner', 'right'],
    ['inner', 'left'],
    ['left', 'right'],
  ] as const)('%s, %s held, of a key with more rows than memory holds', async (join, build) => {
    const p = new Parameters();
    // Few keys: one has most rows, NULL many.
    const side = (seed: number) =>
      sample(500, 500, seed).map(
        ([, ...rest], i): Row => [i % 9 > 3 ? 1 : i % 9 > 1 ? null : i, ...rest],
      );
    const [left, right] = [side(1), side(2)].map((rows) => p.rows([...types], rows));
    const keys = [[col(0, 'int64'), col(0, 'int64')]] as const;
    const residuals = [
      undefined,
      // Holds for the later rows of the left side only, and for some rows never.
      compare('gt', col(5, 'int64'), arith('add', col(11, 'int64'), p.lit('int64', 200))),
    ];
    for (const residual of residuals) {
      const plan = hashJoin(join, left as RelationPlan, right as RelationPlan, {
        keys: [...keys] as never,
        build,
        ...(residual && { residual }),
      });
      const { held, put } = await bothWays(plan, p.values, 10_000);
      expect(held.length).toBeGreaterThan(3000);
      expect(bag(put)).toEqual(bag(held));
    }
  });

  test('of one key ends in a fraction of the memory that its rows take', async () => {
    const p = new Parameters();
    const row = (_: unknown, i: number): Row => [1, i];
    const [left, right] = [1, 2].map(() =>
      p.rows(['int64', 'int64'], Array.from({ length: 4000 }, row)),
    );
    const plan = hashJoin('left', left as RelationPlan, right as RelationPlan, {
      keys: [[col(0, 'int64'), col(0, 'int64')]],
      residual: compare('eq', arith('add', col(1, 'int64'), col(3, 'int64')), p.lit('int64', 5)),
    });
    const counted = aggregate(plan, [], [fold('count'), fold('count', col(3, 'int64'))]);
    const space = new SpillDirectory().space();
    const outcome = await run([query('q', counted)], {
      parameters: p.values,
      limits: { memoryBytes: 200_000 },
      spill: space,
    });
    expect(outcome.result?.rows).toEqual([[4000, 6]]);
  });
});

describe('a spool', () => {
  /** Each left row with the rows of its key, or with all rows. */
  const lookups = (left: RelationPlan, input: RelationPlan, keys: readonly number[]) => {
    const typeOf = (c: number) => types[c] as ScalarType;
    const right: RelationPlan = {
      kind: 'spool',
      input,
      keys: keys.map((c) => col(c, typeOf(c))),
      probe: keys.map((c, k) => reg(k, typeOf(c))),
      ...node(input.output),
    };
    return {
      kind: 'lookup_join' as const,
      join: 'left' as const,
      left,
      right,
      registers: keys.map((columnIndex, register) => ({ register, columnIndex })),
      residual: undefined,
      ...node([...left.output, ...right.output]),
    };
  };

  test.each([
    [[0], 3000],
    [[1], 20_000],
    [[2], 3000],
    [[3], 20_000],
    [[4], 20_000],
    [[2, 1, 4], 3000],
    [[], 3000],
  ] as const)('by columns %j that holds %d bytes', async (keys, hold) => {
    const p = new Parameters();
    const left = p.rows([...types], sample(keys.length < 1 ? 3 : 150, 60, 1));
    const plan = lookups(left, p.rows([...types], sample(3000, 60, 2)), keys);
    const { held, put } = await bothWays(plan, p.values, hold);
    expect(held.length).toBeGreaterThan(150);
    expect(put.map(text)).toEqual(held.map(text));
  });

  test('by a computed key, whose values are overwritten by the next evaluation', async () => {
    const p = new Parameters();
    const left = p.rows([...types], sample(200, 20, 3));
    const plan = lookups(left, p.rows([...types], sample(4000, 20, 4)), [5]);
    const half = arith('div', col(5, 'int64'), p.lit('int64', 7));
    const { held, put } = await bothWays(
      { ...plan, right: { ...plan.right, keys: [half] } as RelationPlan },
      p.values,
      8000,
    );
    expect(held.length).toBeGreaterThan(1000);
    expect(put.map(text)).toEqual(held.map(text));
  });

  test('whose key is in one row each, beyond the first and the last key', async () => {
    const p = new Parameters();
    const rows = (count: number, every: number, from: number): Row[] =>
      Array.from({ length: count }, (_, i) => [from + i * every, 'x'.repeat(50), 1, null, true, i]);
    const left = p.rows([...types], rows(400, 31, -1000));
    const plan = lookups(left, p.rows([...types], rows(5000, 2, 0)), [0]);
    const { held, put } = await bothWays(plan, p.values, 10_000);
    expect(put.map(text)).toEqual(held.map(text));
    expect(held.filter((row) => row[6] !== null).length).toBeGreaterThan(100);
  });
});

describe('set operators', () => {
  test.each([
    ['intersect', 'all'],
    ['intersect', 'distinct'],
    ['except', 'all'],
    ['except', 'distinct'],
  ] as const)('%s %s count each key once, in memory or on disk', async (kind, quantifier) => {
    const p = new Parameters();
    const side = (seed: number, keys: number) =>
      p.rows(
        ['int64', 'text'],
        sample(4000, keys, seed).map(([a, b]) => [a as Datum, b as Datum]),
      );
    const settings: [number, number, number][] = [
      [60, 60, 2000],
      [60, 60, 60_000],
    ];
    // Only this one remembers keys of the left side.
    if (kind === 'except' && quantifier === 'distinct') settings.push([1000, 2, 30_000]);
    for (const [left, right, hold] of settings) {
      const sides = { left: side(1, left), right: side(2, right) };
      const plan: RelationPlan = { kind, quantifier, ...sides, ...node(sides.left.output) };
      const { held, put } = await bothWays(plan, p.values, hold);
      expect(held.length).toBeGreaterThan(50);
      expect(bag(put)).toEqual(bag(held));
    }
  });
});

test.each([
  ['sort', (left: RelationPlan) => sort(left, [[1], [3]])],
  ['groups', (left: RelationPlan) => aggregate(left, [col(1, 'text')], [fold('count')])],
  ['distinct', (input: RelationPlan) => ({ kind: 'distinct', input, ...node(input.output) })],
  ...(['inner', 'left'] as const).map((join) => [
    `${join} hash join`,
    (left: RelationPlan, right: RelationPlan) =>
      hashJoin(join, left, right, { keys: [[col(1, 'text'), col(1, 'text')]] }),
  ]),
  ...(['intersect', 'except'] as const).flatMap((kind) =>
    (['all', 'distinct'] as const).map((quantifier) => [
      `${kind} ${quantifier}`,
      (left: RelationPlan, right: RelationPlan) =>
        ({ kind, quantifier, left, right, ...node(left.output) }) as RelationPlan,
    ]),
  ),
] as [string, (left: RelationPlan, right: RelationPlan) => RelationPlan][])(
  '%s: what has spilled accounts for no memory after it was closed',
  async (_, planOf) => {
    const p = new Parameters();
    const side = (seed: number) => p.rows([...types], sample(1500, 900, seed));
    expect(await unreleasedBytes(planOf(side(1), side(2)), p.values, 1000)).toBe(0);
  },
);

describe('a join by any condition', () => {
  test.each([
    ['inner', 20_000],
    ['left', 20_000],
    ['left', 60_000],
  ] as const)('%s, its right side held up to %d bytes, compares all', async (join, hold) => {
    const p = new Parameters();
    const side = (count: number, seed: number) => p.rows([...types], sample(count, 100, seed));
    const on = compare('lt', arith('add', col(0, 'int64'), col(5, 'int64')), col(6, 'int64'));
    const plan = loopJoin(join, side(30, 1), side(1500, 2), on);
    const { held, put } = await bothWays(plan, p.values, hold);
    expect(held.length).toBeGreaterThan(5000);
    expect(bag(put)).toEqual(bag(held));
  });
});

describe('stored rows', () => {
  const read = (kind: 'binding' | 'statement', columnIndexes: number[]): RelationPlan => ({
    kind: 'materialized',
    source: { kind, name: 'b' },
    columnIndexes,
    ...node(out(...columnIndexes.map((columnIndex) => types[columnIndex] as ScalarType))),
  });

  /** Two readers at different positions, each of which restarts. */
  const readTwice = (kind: 'binding' | 'statement') =>
    loopJoin(
      'inner',
      slice(read(kind, [5, 1]), 1200, 3),
      read(kind, [1, 5]),
      compare('eq', col(1, 'text'), col(2, 'text')),
    );

  test('of a binding that is read twice', async () => {
    const p = new Parameters();
    const body = p.rows([...types], sample(3000, 40, 2));
    const setting = {
      parameters: p.values,
      bindings: [{ kind: 'derived', name: 'b', plan: body }] as const,
    };
    const held = rowsOf(readTwice('binding'), setting);
    const directory = new SpillDirectory();
    const space = directory.space({ holdBytes: 20_000 });
    const outcome = await run([query('q', readTwice('binding'), setting)], {
      ...setting,
      spill: space,
    });
    expect(held.length).toBeGreaterThan(10);
    expect(bag(outcome.result?.rows ?? [])).toEqual(bag(held));
    expect(space.writtenBytes).toBeGreaterThan(100_000);
    await settled();
    expect(directory.openFiles).toBe(0);
  });

  test('of an earlier statement', async () => {
    const p = new Parameters();
    const first = query('b', p.rows([...types], sample(3000, 40, 2)));
    const statements = [first, query('q', readTwice('statement'))];
    const held = runNow(statements, { parameters: p.values });
    const space = new SpillDirectory().space({ holdBytes: 20_000 });
    const outcome = await run(statements, { parameters: p.values, spill: space });
    expect(bag(outcome.result?.rows ?? [])).toEqual(bag(held.result?.rows ?? []));
    expect(space.writtenBytes).toBeGreaterThan(100_000);
  });
});

describe('a recursion', () => {
  /** Walks a graph of `nodes` nodes from the anchor rows: each node leads to two others. */
  function walk(
    nodes: number,
    accumulation: 'all' | 'new',
    rounds = 1_000_000,
  ): [RelationPlan, Setting] {
    const p = new Parameters();
    const rows = Array.from({ length: nodes }, (_, i): Row[] => [
      [i, (i * 7 + 1) % nodes],
      [i, (i * 3 + 2) % nodes],
    ]);
    const edges = p.rows(['int64', 'int64'], rows.flat());
    const frontier: RelationPlan = {
      kind: 'frontier',
      binding: 'r',
      ...node(out('int64', 'int64')),
    };
    const isNear = compare('lt', col(1, 'int64'), p.lit('int64', rounds));
    const joined = hashJoin('inner', filter(frontier, isNear), edges, {
      keys: [[col(0, 'int64'), col(0, 'int64')]],
    });
    const round =
      accumulation === 'new' ? col(1, 'int64') : arith('add', col(1, 'int64'), p.lit('int64', 1));
    const binding = {
      kind: 'recursive',
      name: 'r',
      anchor: p.rows(
        ['int64', 'int64'],
        [
          [1, 0],
          [1, 0],
          [2, 0],
        ],
      ),
      step: project(joined, col(3, 'int64'), round),
      accumulation,
      output: out('int64', 'int64'),
    } as const;
    const root: RelationPlan = {
      kind: 'materialized',
      source: { kind: 'binding', name: 'r' },
      columnIndexes: [0, 1],
      ...node(out('int64', 'int64')),
    };
    return [root, { parameters: p.values, bindings: [binding] }];
  }

  test.each([
    ['new', 8000, 1_000_000, 20_000],
    ['new', 800, 1_000_000, 100],
    ['all', 500, 11, 20_000],
  ] as const)(
    'with %s rows, %d nodes and at most %d rounds, within %d bytes finds the same',
    async (accumulation, nodes, rounds, hold) => {
      const [root, setting] = walk(nodes, accumulation, rounds);
      const held = rowsOf(root, setting);
      const directory = new SpillDirectory();
      const space = directory.space({ holdBytes: hold });
      const outcome = await run([query('q', root, setting)], { ...setting, spill: space });
      expect(held.length).toBeGreaterThan(600);
      expect(bag(outcome.result?.rows ?? [])).toEqual(bag(held));
      expect(space.writtenBytes).toBeGreaterThan(10_000);
      await settled();
      expect(directory.openFiles).toBe(0);
    },
  );

  test('that finds nothing twice reads few of its rows again', async () => {
    const p = new Parameters();
    const frontier: RelationPlan = { kind: 'frontier', binding: 'r', ...node(out('int64')) };
    const isLow = compare('lt', col(0, 'int64'), p.lit('int64', 3000));
    const next = arith('add', col(0, 'int64'), p.lit('int64', 1));
    const binding = {
      kind: 'recursive',
      name: 'r',
      anchor: p.rows(['int64'], [[1]]),
      step: project(filter(frontier, isLow), next),
      accumulation: 'new',
      output: out('int64'),
    } as const;
    const root: RelationPlan = {
      kind: 'materialized',
      source: { kind: 'binding', name: 'r' },
      columnIndexes: [0],
      ...node(out('int64')),
    };
    const directory = new SpillDirectory();
    const setting = { parameters: p.values, bindings: [binding] };
    const outcome = await run([query('q', root, setting)], {
      ...setting,
      spill: directory.space({ holdBytes: 1000 }),
    });
    expect(outcome.result?.rows).toHaveLength(3000);
    // A pass reads all rows: 3,000 passes would read millions of blocks.
    expect(directory.reads).toBeLessThan(100_000);
  });
});

describe('what goes wrong on the disk ends the program, and nothing is left', () => {
  const setting = () => {
    const p = new Parameters();
    return { p, plan: sort(p.rows([...types], sample(6000, 40, 1)), [[0]]) };
  };

  test('no room for one more block', async () => {
    const { p, plan } = setting();
    const directory = new SpillDirectory();
    const space = directory.space({ holdBytes: 1000, limitBytes: 50_000 });
    expect(await failing(plan, p, space)).toBe(
      'memory_limit: statement "q": the program needs more memory than it may use, and the disk has no space for its spill files: all programs together may use 0 MiB, by --spill-limit-mib and the free space; free some space, raise the limit, or send it again when fewer programs run',
    );
    await settled();
    expect(directory.openFiles).toBe(0);
    expect(space).toMatchObject({ usedBytes: 0, files: 0, refused: 1 });
    expect(space.peakBytes).toBeLessThanOrEqual(50_000);
  });

  test('no room for one more file', async () => {
    const { p, plan } = setting();
    const directory = new SpillDirectory();
    const space = directory.space({ holdBytes: 1000, filesMax: 1 });
    expect(await failing(sort(plan, [[1]]), p, space)).toBe(
      'memory_limit: statement "q": the program needs more memory than it may use, and no further spill file can be opened (limit: 1 for all programs)',
    );
    await settled();
    expect(directory.openFiles).toBe(0);
    expect(space).toMatchObject({ usedBytes: 0, files: 0, refused: 1 });
  });

  test.each(['ENOSPC', 'EIO'])('a write that fails with %s', async (code) => {
    const { p, plan } = setting();
    const directory = new SpillDirectory();
    directory.writeFailure = code;
    const why =
      code === 'EIO'
        ? 'its spill files cannot be written (--spill-path)'
        : 'the disk has no space for its spill files';
    expect(await failing(plan, p, directory.space({ holdBytes: 1000 }))).toContain(why);
    await settled();
    expect(directory.openFiles).toBe(0);
  });

  test('a block that does not read back', async () => {
    const { p, plan } = setting();
    const directory = new SpillDirectory();
    directory.readsWrong = true;
    // A mistake of the machine, not of the user: no failure that names a reason.
    expect(await outcomeOf(failing(plan, p, directory.space({ holdBytes: 1000 })))).toThrow(
      'the spill file of a program cannot be read back',
    );
    await settled();
    expect(directory.openFiles).toBe(0);
  });
});

test('a program that is ended while it waits for the disk leaves nothing', async () => {
  const p = new Parameters();
  const plan = sort(p.rows([...types], sample(6000, 40, 1)), [[0]]);
  const directory = new SpillDirectory();
  const space = directory.space({ holdBytes: 1000 });
  const failed = await failing(plan, p, space, undefined, { world: testWorld(1), timeoutMs: 60 });
  expect(failed).toStartWith('deadline_exceeded');
  expect(space.writtenBytes).toBeGreaterThan(0);
  await settled();
  expect(directory.openFiles).toBe(0);
});

test('without a place for it a program fails as ever', async () => {
  const p = new Parameters();
  const plan = sort(p.rows([...types], sample(6000, 40, 1)), [[0]]);
  expect(await failing(plan, p, undefined, 400_000)).toStartWith('memory_limit: ');
});

test.each([
  ['sort', 1 << 20, 250_000],
  ['sort', 4 << 20, 120_000],
  ['groups', 1 << 20, 60_000],
  ['distinct', 1 << 20, 60_000],
  ['join', 2 << 20, 60_000],
] as const)(
  'a %s within %d bytes ends, however much there is: what it keeps of each run is little',
  async (kind, memoryBytes, count) => {
    const p = new Parameters();
    const rows = Array.from({ length: count }, (_, i): Row => {
      const bytes = new Uint8Array(16);
      new DataView(bytes.buffer).setUint32(0, Math.imul(i, 0x9e3779b1));
      return [i, new ByteString(bytes, 'uuid')];
    });
    const input = p.rows(['int64', 'bytes'], rows);
    const plans: Record<typeof kind, () => RelationPlan> = {
      sort: () => sort(input, [[1]]),
      groups: () => aggregate(input, [col(1, 'bytes')], [fold('max', col(0, 'int64'))]),
      distinct: () => ({ kind: 'distinct', input, ...node(input.output) }),
      join: () =>
        hashJoin('inner', input, p.rows(['int64', 'bytes'], rows), {
          keys: [[col(1, 'bytes'), col(1, 'bytes')]],
        }),
    };
    const counted = aggregate(plans[kind](), [], [fold('count')]);
    const directory = new SpillDirectory();
    const space = directory.space();
    const outcome = await run([query('q', counted)], {
      parameters: p.values,
      limits: { memoryBytes },
      spill: space,
    });
    expect(outcome.result?.rows).toEqual([[count]]);
    expect(space.writtenBytes).toBeGreaterThan(1 << 20);
  },
);

test('of rows that are finished only where their blocks lie is kept: there may be hundreds of runs', async () => {
  const space = new SpillDirectory().space();
  const file = new ProgramSpill(space, 4 << 20).open();
  const rows = new SpilledRows([{ kind: 'int64' }], file);
  rows.add({ columns: [[1, 2, 3]], selection: Uint32Array.of(0, 1, 2), count: 3 });
  await rows.finish();
  expect(rows.bytes).toBeLessThan(200);
  file.close();
});

describe('a value that is larger than a spilled value may be', () => {
  const mib = 1 << 20;
  const columns = out('text');
  const shared = 'x'.repeat(mib);
  const spilled = (type: DatumType, datum: Datum) => {
    const file = new ProgramSpill(new SpillDirectory().space(), 64 * mib).open();
    const rows = new SpilledRows([type], file);
    rows.addRow([[datum]], 0);
    file.close();
    return rows.length;
  };
  const nested = (count: number): Row[] => Array.from({ length: count }, () => [shared]);
  const refused =
    'memory_limit: the program needs more memory than it may use, and rows with nested values of this size cannot be spilled';

  test('is refused if it is nested: rows that share memory are written out in full', () => {
    for (const type of [
      { kind: 'array', columns },
      { kind: 'row', columns: out(...Array<'text'>(40).fill('text')) },
    ] as const) {
      const ofMib = (count: number): Datum =>
        type.kind === 'array' ? nested(count) : nested(count).flat();
      expect(failureOf(() => spilled(type, ofMib(40)))).toBe(refused);
    }
    expect(spilled({ kind: 'array', columns }, nested(4))).toBe(1);
    expect(spilled({ kind: 'array', columns }, null)).toBe(1);
  });

  test('is spilled if it is a text', () => {
    expect(spilled({ kind: 'text' }, 'x'.repeat(17 * mib))).toBe(1);
  });
});
