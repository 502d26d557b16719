/** Merge joins over batches of every cut, against joins of all pairs. */

import { describe, expect, test } from 'bun:test';
import type { Pending } from '#base';
import type { MergeJoinPlan, RelationPlan } from '#planner';
import { comparatorOf, type Datum, type Row, type ScalarType } from '#value';
import type { Batch } from '../../src/executor/batch/batch.ts';
import type { Vector } from '../../src/executor/batch/vector.ts';
import { Budget } from '../../src/executor/budget.ts';
import { Memory } from '../../src/executor/memory.ts';
import { OperatorProfile } from '../../src/executor/operator-profile.ts';
import { GroupedMergeJoin } from '../../src/executor/operators/join/merge-groups.ts';
import { MergeJoin } from '../../src/executor/operators/join/merge-join.ts';
import type { Operator, QueryRun } from '../../src/executor/operators/operator.ts';
import { node, out, Parameters } from './support/plans.ts';
import { testWorld } from './support/run.ts';

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Rows in batches of any size, of which some positions are left out; columns of numbers are typed arrays. Waits now and then. */
class Given implements Operator {
  readonly site = new OperatorProfile('rows', 1, { inputs: [] });
  reads = 0;
  private at = 0;
  private readonly rows: readonly Row[];
  private readonly width: number;
  private readonly random: (below: number) => number;
  private hasWaited = false;

  constructor(rows: readonly Row[], width: number, random: (below: number) => number) {
    this.rows = rows;
    this.width = width;
    this.random = random;
  }

  open(): void {
    this.at = 0;
  }

  next(): Batch | undefined | Pending {
    if (!this.hasWaited && this.random(3) === 0) {
      this.hasWaited = true;
      return Promise.resolve();
    }
    this.hasWaited = false;
    this.reads++;
    if (this.at >= this.rows.length) return undefined;
    const step = 1 + this.random(2);
    const size = 1 + this.random(this.random(4) === 0 ? 500 : 5);
    const rows = this.rows.slice(this.at, this.at + size);
    this.at += rows.length;
    const selection = Uint32Array.from(rows, (_, i) => i * step);
    const columns = Array.from({ length: this.width }, (_, c): Vector => {
      const values: Datum[] = new Array(rows.length * step).fill('left out');
      rows.forEach((row, i) => {
        values[i * step] = row[c] as Datum;
      });
      const isTyped = rows.every((row) => typeof row[c] === 'number') && this.random(4) > 0;
      return isTyped ? Float64Array.from(values, (it) => Number(it)) : values;
    });
    return { columns, selection, count: rows.length };
  }

  close(): void {}
}

interface Case {
  readonly left: readonly Row[];
  readonly right: readonly Row[];
  readonly types: readonly ScalarType[];
  readonly join: 'inner' | 'left';
  readonly held: 'left' | 'right';
  readonly isUnique: boolean;
}

interface Made {
  readonly operator: Operator;
  readonly inputs: readonly [Given, Given];
  readonly memory: Memory;
}

function made({ left, right, types, ...more }: Case, random: (below: number) => number): Made {
  const p = new Parameters();
  const output = [...types, 'int64' as const];
  const keys = types.map((_, columnIndex) => columnIndex);
  const relation: RelationPlan = p.rows([...output], []);
  const plan: MergeJoinPlan = {
    kind: 'merge_join',
    left: relation,
    right: relation,
    leftKeys: keys,
    rightKeys: keys,
    ...more,
    ...node(out(...output, ...output)),
  };
  const memory = new Memory(64 << 20);
  const run = { budget: new Budget(testWorld(), { timeoutMs: 0 }), memory } as unknown as QueryRun;
  const width = output.length;
  const inputs = [new Given(left, width, random), new Given(right, width, random)] as const;
  const site = new OperatorProfile('merge_join', 2, { inputs: inputs.map((input) => input.site) });
  const operator = more.isUnique
    ? new MergeJoin(plan, inputs, run, site)
    : new GroupedMergeJoin(plan, inputs, run, site);
  return { operator, inputs, memory };
}

async function rowsOf(operator: Operator): Promise<Row[]> {
  const rows: Row[] = [];
  operator.open();
  for (;;) {
    const batch = operator.next(1024);
    if (batch instanceof Promise) {
      await batch;
      continue;
    }
    if (batch === undefined) break;
    expect(batch.count).toBeGreaterThan(0);
    for (let i = 0; i < batch.count; i++) {
      const at = batch.selection[i] as number;
      rows.push(batch.columns.map((column) => (column as Vector)[at] as Datum));
    }
  }
  operator.close();
  return rows;
}

/** In the order of the side that streams. */
function expected({ left, right, types, join, held }: Case): Row[] {
  const matches = (a: Row, b: Row) =>
    types.every((type, k) => {
      const [x, y] = [a[k] as never, b[k] as never];
      return x !== null && y !== null && comparatorOf(type)(x, y) === 0;
    });
  if (held === 'left') {
    return right.flatMap((b) => left.filter((a) => matches(a, b)).map((a): Row => [...a, ...b]));
  }
  return left.flatMap((a) => {
    const found = right.filter((b) => matches(a, b));
    if (found.length === 0 && join === 'left') {
      return [[...a, ...new Array<null>(types.length + 1).fill(null)]];
    }
    return found.map((b): Row => [...a, ...b]);
  });
}

const keysOf: Readonly<Record<string, (random: (below: number) => number) => Datum>> = {
  int64: (random) => (random(20) === 0 ? 2n ** 60n + BigInt(random(3)) : random(60) - 20),
  float64: (random) => [-1.5, -0, 0, 0.5, 7][random(5)] as number,
  text: (random) => ['', 'a', 'aa', 'b', '\u{1F600}', '\uE000', 'ß'][random(7)] as string,
  bool: (random) => random(2) === 1,
};

function sideOf(
  types: readonly ScalarType[],
  count: number,
  random: (below: number) => number,
  { isUnique, hasNull }: { readonly isUnique: boolean; readonly hasNull: boolean },
): Row[] {
  const keys = Array.from({ length: count }, () =>
    types.map((type) => (hasNull && random(8) === 0 ? null : (keysOf[type]?.(random) as Datum))),
  );
  const compare = (a: Row, b: Row) =>
    types.reduce((order, type, k) => order || comparatorOf(type)(a[k] as never, b[k] as never), 0);
  keys.sort(compare);
  const isFirst = (key: Row, i: number) =>
    i === 0 || key.includes(null) || compare(keys[i - 1] as Row, key) !== 0;
  const kept = isUnique ? keys.filter(isFirst) : keys;
  return kept.map((key, i) => [...key, i]);
}

const shapes: readonly (readonly ScalarType[])[] = [
  ['int64'],
  ['float64'],
  ['text'],
  ['int64', 'text'],
  ['bool', 'int64'],
];

describe.each([
  ['inner', 'left', true],
  ['inner', 'right', true],
  ['left', 'right', true],
  ['inner', 'left', false],
  ['inner', 'right', false],
  ['left', 'right', false],
] as const)('%s, %s held, unique %s', (join, held, isUnique) => {
  test.each(shapes)('by %s %s', async (...types) => {
    const keys = types.filter((type) => typeof type === 'string') as ScalarType[];
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomOf(seed * 7_919);
      const hasNull = random(2) === 0;
      const side = (isHeld: boolean) =>
        sideOf(keys, random(60), random, { isUnique: isHeld && isUnique, hasNull });
      const left = side(held === 'left');
      const right = side(held === 'right');
      const whole: Case = { left, right, types: keys, join, held, isUnique };
      const { operator } = made(whole, random);
      expect(await rowsOf(operator)).toEqual(expected(whole));
      // And once more, as for another row.
      expect(await rowsOf(operator)).toEqual(expected(whole));
    }
  });
});

test.each([
  [100, 300],
  [2, 2_000],
])('%d rows of one key meet %d, and no more than their group is held', async (few, many) => {
  const rows = (count: number, of: (i: number) => number): Row[] =>
    Array.from({ length: count }, (_, i) => [of(i), i]);
  const left = rows(30 * few, (i) => Math.floor(i / few));
  const right = rows(30 * many, (i) => Math.floor(i / many));
  const whole: Case = {
    left,
    right,
    types: ['int64'],
    join: 'inner',
    held: 'right',
    isUnique: false,
  };
  const { operator, memory } = made(whole, randomOf(3));
  const found = await rowsOf(operator);
  expect(found.length).toBe(30 * few * many);
  expect(found[0]).toEqual([0, 0, 0, 0]);
  expect(found.at(-1)).toEqual([29, left.length - 1, 29, right.length - 1]);
  expect(memory.peakBytes).toBeLessThan((1_900 + 2 * many) * 2 * 16);
});

test.each([true, false])(
  'what lies behind the end of the other side is not read (%s)',
  async (isUnique) => {
    const numbers = (count: number): Row[] => Array.from({ length: count }, (_, i) => [i, i]);
    const shared = { types: ['int64'], join: 'inner', held: 'right', isUnique } as const;
    const short = made({ left: numbers(10), right: numbers(9_000), ...shared }, randomOf(5));
    await rowsOf(short.operator);
    expect(short.inputs[1].reads).toBeLessThan(20);
    const long = made({ left: numbers(9_000), right: numbers(10), ...shared }, randomOf(5));
    await rowsOf(long.operator);
    expect(long.inputs[0].reads).toBeLessThan(20);
  },
);
