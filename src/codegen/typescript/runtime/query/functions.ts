/** Functions beside the methods of queries and expressions, with their types. */

import type { Runnable } from '../client/seam.ts';
import type { Code } from '../table-info.ts';
import { codeOfType, type LirType } from '../wire/codec.ts';
import { type Ex, fold as foldOf, literal, When as WhenOf } from './expression.ts';
import { recursive as recursiveOf, rows as rowsOf } from './query.ts';
import { program as programOf } from './statement.ts';
import type * as types from './types.ts';

interface Natives {
  readonly text: string;
  readonly int64: bigint;
  readonly float64: number;
  readonly bool: boolean;
  readonly bytes: Uint8Array;
}

/** How many rows. */
export function count(): types.Fold<'int64', number> {
  return foldOf('count', undefined, 'n') as never;
}

const folding = (fn: string, codeOf: (code: Code) => Code) => (ex: unknown) =>
  foldOf(fn, ex as Ex, codeOf((ex as Ex).code)) as never;

export const sum: <L extends 'int64' | 'float64', N>(
  of: types.Expr<L, N>,
) => types.Fold<L, N | null> = folding('sum', (code) => code);
/** Of numbers: a float64. */
export const avg: <L extends 'int64' | 'float64'>(
  of: types.Expr<L, unknown>,
) => types.Fold<'float64', number | null> = folding('avg', () => 'f');
export const min: <L extends LirType, N>(of: types.Expr<L, N>) => types.Fold<L, N | null> = folding(
  'min',
  (code) => code,
);
export const max: <L extends LirType, N>(of: types.Expr<L, N>) => types.Fold<L, N | null> = folding(
  'max',
  (code) => code,
);

/** A value as an expression; NULL of a type. */
export function lit(type: 'int64', value: number): types.Int<number>;
export function lit<L extends LirType>(type: L, value: Natives[L]): types.ExprOf<L, Natives[L]>;
export function lit<L extends LirType>(type: L, value: null): types.ExprOf<L, Natives[L] | null>;
export function lit(type: LirType, value: unknown): never {
  return literal(codeOfType(type, value), value) as never;
}

export interface When<L extends LirType, N> {
  when<M>(test: types.Expr<'bool', unknown>, then: types.Expr<L, M>): When<L, N | M>;
  else<M>(otherwise: types.Expr<L, M>): types.ExprOf<L, N | M>;
}

/** The `then` of the first test that is TRUE. */
export function when<L extends LirType, N>(
  test: types.Expr<'bool', unknown>,
  then: types.Expr<L, N>,
): When<L, N> {
  return new WhenOf([[test as never, then]]) as never;
}

type ShapeExprs<S extends Readonly<Record<string, LirType>>> = {
  readonly [K in keyof S]: types.ExprOf<S[K], Natives[S[K]]>;
};
type ShapeRow<S extends Readonly<Record<string, LirType>>> = {
  -readonly [K in keyof S]: Natives[S[K]];
};

/** Rows that the program brings. */
export function rows<const S extends Readonly<Record<string, LirType>>>(
  shape: S,
  values: readonly ShapeRow<S>[],
): types.Query<ShapeRow<S>, [ShapeExprs<S>]> {
  const codes = Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, codeOfType(type)]),
  );
  return rowsOf(codes, values) as never;
}

/** The anchor, and what the step makes of the rows of the round before, until there are no more; `new`: no row twice. */
export function recursive<R, S>(
  anchor: types.Query<R, [S]>,
  step: (self: types.Query<R, [S]>) => Runnable<R[]>,
  accumulation: 'new' | 'all' = 'new',
): types.Query<R, [S]> {
  return recursiveOf(anchor as never, step as never, accumulation) as never;
}

/** Statements in order, atomic: what is returned is the result. */
export function program<T>(write: (p: types.ProgramBuilder) => T): Runnable<types.Written<T>> {
  return programOf(write as never) as never;
}
