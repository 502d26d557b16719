/** Functions beside the methods of queries and expressions, with their types. */

import type { Runnable } from '../client/seam.ts';
import type { Code } from '../table-info.ts';
import { codeOfType, type LirType } from '../wire/codec.ts';
import { Branch, foldOf, literal } from './expression.ts';
import type { Ex } from './parts.ts';
import { recursiveQuery, rowsQuery } from './query.ts';
import { programOf } from './statement.ts';
import type { Expr, ExprOf, Fold, Int, ProgramBuilder, Query, Written } from './types.ts';

interface Natives {
  readonly text: string;
  readonly int64: bigint;
  readonly float64: number;
  readonly bool: boolean;
  readonly bytes: Uint8Array;
}

/** How many rows. */
export function count(): Fold<'int64', number> {
  return foldOf('count', undefined, 'n') as never;
}

const folding = (fn: string, codeOf: (code: Code) => Code) => (ex: unknown) =>
  foldOf(fn, ex as Ex, codeOf((ex as Ex).code)) as never;

export const sum: <L extends 'int64' | 'float64', N>(of: Expr<L, N>) => Fold<L, N | null> = folding(
  'sum',
  (code) => code,
);
/** Of numbers: a float64. */
export const avg: <L extends 'int64' | 'float64'>(
  of: Expr<L, unknown>,
) => Fold<'float64', number | null> = folding('avg', () => 'f');
export const min: <L extends LirType, N>(of: Expr<L, N>) => Fold<L, N | null> = folding(
  'min',
  (code) => code,
);
export const max: <L extends LirType, N>(of: Expr<L, N>) => Fold<L, N | null> = folding(
  'max',
  (code) => code,
);

/** A value as an expression; NULL of a type. */
export function lit(type: 'int64', value: number): Int<number>;
export function lit<L extends LirType>(type: L, value: Natives[L]): ExprOf<L, Natives[L]>;
export function lit<L extends LirType>(type: L, value: null): ExprOf<L, Natives[L] | null>;
export function lit(type: LirType, value: unknown): never {
  return literal(codeOfType(type, value), value) as never;
}

export interface When<L extends LirType, N> {
  when<M>(test: Expr<'bool', unknown>, then: Expr<L, M>): When<L, N | M>;
  else<M>(otherwise: Expr<L, M>): ExprOf<L, N | M>;
}

/** The `then` of the first test that is TRUE. */
export function when<L extends LirType, N>(
  test: Expr<'bool', unknown>,
  then: Expr<L, N>,
): When<L, N> {
  return new Branch([[test as never, then]]) as never;
}

type ShapeExprs<S extends Readonly<Record<string, LirType>>> = {
  readonly [K in keyof S]: ExprOf<S[K], Natives[S[K]]>;
};
type ShapeRow<S extends Readonly<Record<string, LirType>>> = {
  -readonly [K in keyof S]: Natives[S[K]];
};

/** Integers as they are at hand. */
type ShapeGiven<S extends Readonly<Record<string, LirType>>> = {
  readonly [K in keyof S]: S[K] extends 'int64' ? bigint | number : Natives[S[K]];
};

/** Rows that the program brings. */
export function rows<const S extends Readonly<Record<string, LirType>>>(
  shape: S,
  values: readonly ShapeGiven<S>[],
): Query<ShapeRow<S>, [ShapeExprs<S>]> {
  const codes = Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, codeOfType(type)]),
  );
  return rowsQuery(codes, values) as never;
}

/** The anchor, and what the step makes of the rows of the round before, until there are no more; `new`: no row twice. */
export function recursive<R, S>(
  anchor: Query<R, [S]>,
  step: (self: Query<R, [S]>) => Runnable<R[]>,
  accumulation: 'new' | 'all' = 'new',
): Query<R, [S]> {
  return recursiveQuery(anchor as never, step as never, accumulation) as never;
}

/** Statements in order, atomic: what is returned is the result. */
export function program<T>(write: (p: ProgramBuilder) => T): Runnable<Written<T>> {
  return programOf(write as never) as never;
}
