/**
 * Two large tables of the same columns. What tells small tables from large ones is in their values: more keys than one hash table has, integers
 * that are no exact numbers, both zeros, texts that differ far behind their start, values that most rows have.
 */

import type { Scalar } from '#value';
import type { Draw } from './choices.ts';

export const columnTypes = {
  id: 'int64',
  s: 'int64',
  k: 'int64',
  w: 'int64',
  f: 'float64',
  t: 'text',
} as const;

export type ColumnName = keyof typeof columnTypes;
export const columnNames = Object.keys(columnTypes) as ColumnName[];

export type LargeRow = Readonly<Record<ColumnName, Scalar>>;

export interface LargeTable {
  readonly name: 'l' | 'r';
  readonly primaryKey: readonly ColumnName[];
  readonly indexes: readonly (readonly ColumnName[])[];
  rows: readonly LargeRow[];
}

/** Makes a value of a number that is drawn anew for each row; both tables share it, so that their values meet. */
type Domain = (draw: Draw) => Scalar;

const nullable: ReadonlySet<string> = new Set(['k', 'w', 'f', 't']);

export function largeTables(draw: Draw, rows: number): readonly [LargeTable, LargeTable] {
  const few = integers(draw, Math.min(rows, 300));
  const domains = {
    s: draw.oneIn(2) ? few : integers(draw, rows),
    k: withNulls(draw, integers(draw, rows)),
    w: withNulls(draw, wideIntegers(draw, rows)),
    f: withNulls(draw, floats(draw, rows)),
    t: withNulls(draw, texts(draw, rows)),
  };
  const filled = (count: number): LargeRow[] =>
    Array.from({ length: count }, (_, id) => ({
      id,
      s: domains.s(draw),
      k: domains.k(draw),
      w: domains.w(draw),
      f: domains.f(draw),
      t: domains.t(draw),
    }));
  const indexes = (of: readonly (readonly ColumnName[])[]) => of.filter(() => !draw.oneIn(4));
  return [
    {
      name: 'l',
      primaryKey: ['id'],
      indexes: indexes([['k'], ['w'], ['f', 'id'], ['t'], ['s', 'k']]),
      rows: filled(rows),
    },
    {
      name: 'r',
      primaryKey: ['s', 'id'],
      indexes: indexes([['k', 's'], ['w'], ['f'], ['t'], ['id']]),
      rows: filled(Math.floor(rows * (0.2 + 0.8 * draw.unit()))),
    },
  ];
}

/** A statement that makes the table. */
export function creationOf({ name, primaryKey, indexes }: LargeTable): object {
  const table = {
    name,
    columns: columnNames.map(columnOf),
    primary_key: primaryKey,
    indexes: indexes.map((columns) => ({ name: `${name}_${columns.join('_')}`, columns })),
  };
  return { kind: 'create_table', name: 'c', table };
}

/** As `rows` and tables declare it. */
export function columnOf(name: ColumnName): object {
  return { name, type: columnTypes[name], ...(nullable.has(name) && { nullable: true }) };
}

/** The text of a number, of a float also that of -0. */
export function textOf(value: Scalar): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function integers(draw: Draw, count: number): Domain {
  const step = draw.pick([1, 1, 3, 2 ** 20, 1_000_003]);
  const from = draw.pick([0, -Math.floor(count / 2), 5_000_000]);
  const power = draw.pick([1, 1, 1, 4]);
  return ({ unit }) => from + step * Math.floor(count * unit() ** power);
}

/** Around 2^53, where neighbours are the same as floats, and at the ends of int64. */
function wideIntegers(draw: Draw, count: number): Domain {
  const middle = draw.pick([2n ** 53n, -(2n ** 53n), 2n ** 62n, 0n]);
  return ({ unit, below, oneIn }) => {
    if (oneIn(2_000)) return draw.pick([2n ** 63n - 1n, -(2n ** 63n), 0n, 1n].map(int64));
    return int64(middle + BigInt(below(count) - Math.floor(count * unit() * 0.5)));
  };
}

function int64(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const extremes = [0, -0, 0, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, 0.1];

function floats(draw: Draw, count: number): Domain {
  const scale = draw.pick([0.5, 0.125, 1, 1e-7, 1e9]);
  // Twenty times as many as rows: nearly each row has its own.
  const values = draw.pick([40, count, 20 * count, 20 * count]);
  return ({ below, oneIn, pick }) =>
    oneIn(50) ? pick(extremes) : scale * (below(values) - values / 2);
}

function texts(draw: Draw, count: number): Domain {
  const values = draw.pick([60, count, 20 * count]);
  const prefix = draw.pick([
    '',
    '',
    'customers/of/europe/',
    'x'.repeat(250),
    'é\u{1f600}',
    '\uffee',
  ]);
  const width = draw.oneIn(2) ? 8 : 0;
  const tails = draw.pick([[''], [''], ['', '\0', '\0\0'], ['', '\u{10000}', '\uffff']]);
  return ({ below, oneIn, pick }) => {
    if (oneIn(1_000)) return pick(['', prefix, '\u{10ffff}', '\0']);
    return `${prefix}${below(values).toString(36).padStart(width, '0')}${pick(tails)}`;
  };
}

function withNulls(draw: Draw, domain: Domain): Domain {
  const n = draw.pick([0, 3, 100]);
  return n === 0 ? domain : (own) => (own.oneIn(n) ? null : domain(own));
}
