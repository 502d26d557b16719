/**
 * What applications see of queries. Interfaces of their own, apart from the code behind them: nothing is instantiated before it is used,
 * and editors show plain names. An expression has its type on the wire, the application's type, and whether it can be NULL.
 */

import type { Param, Runnable } from '../client/seam.ts';
import type { LirType } from '../wire/codec.ts';

declare const decoded: unique symbol;
declare const facts: unique symbol;

/** What can stand in `select`; `T` is what rows have there. */
export interface Part<out T> extends Runnable<T> {
  readonly [decoded]?: T;
}

/** An expression of the type `L`, which comes as `N`; null is in `N` where it can be NULL. */
export interface Expr<L extends LirType, N> extends Part<N> {
  readonly [facts]: readonly [L, N];
  isNull(): Bool;
  isNotNull(): Bool;
  asc(): Term;
  desc(): Term;
}

/**
 * Never NULL in answers, but the server cannot know that: no column without NULL takes it as it is. `orElse` makes it fit; so does a join with the
 * aggregate in place of its `count`.
 */
export interface Soft {
  /** What compilers show where such a value is set. */
  readonly soft: 'perhaps NULL for the server: use orElse, or join the aggregate';
}

export interface Term {
  readonly desc: boolean;
}

/** NULL where one of both can be. */
type Nulls<N, M> = (N & null) | (M & null);

/** Beside a value, or an expression of the same type. */
interface Compare<L extends LirType, I, N> {
  (other: I): Bool<boolean | (N & null)>;
  <M>(other: Expr<L, M>): Bool<boolean | Nulls<N, M>>;
}

interface WithInt<N> {
  (other: AnyInt): Int<N>;
  <M>(other: Expr<'int64', M>): Int<N | M>;
}

interface WithFloat<N> {
  (other: number): Float<N>;
  <M>(other: Expr<'float64', M>): Float<N | M>;
}

export interface Comparable<L extends LirType, I, N> extends Expr<L, N> {
  readonly eq: Compare<L, I, N>;
  readonly ne: Compare<L, I, N>;
  readonly lt: Compare<L, I, N>;
  readonly lte: Compare<L, I, N>;
  readonly gt: Compare<L, I, N>;
  readonly gte: Compare<L, I, N>;
  between(low: I | Expr<L, unknown>, high: I | Expr<L, unknown>): Bool<boolean | null>;
  /** FALSE for NULL. */
  in(values: Iterable<I>): Bool;
  /** Equal, or both NULL. */
  same(other: I | Expr<L, unknown> | null): Bool;
}

/** `I`, here and below: what the values are that it stands beside. */
export interface Text<N = string, I = string> extends Comparable<'text', I, N> {
  orElse(other: I): Text<NonNullable<N>, I>;
  orElse<M>(other: Expr<'text', M>): Text<NonNullable<N> | M>;
  /** `*` stands for any text. */
  match(pattern: string, options?: MatchOptions): Bool<boolean | (N & null)>;
  startsWith(text: string, options?: MatchOptions): Bool<boolean | (N & null)>;
  endsWith(text: string, options?: MatchOptions): Bool<boolean | (N & null)>;
  contains(text: string, options?: MatchOptions): Bool<boolean | (N & null)>;
}

export interface MatchOptions {
  /** Without regard to case. */
  readonly fold?: boolean;
}

type AnyInt = bigint | number;

/** An int64: bigint or number, as was chosen when the client was generated. Of both beside each other, bigint comes. */
export interface Int<N = number, I = AnyInt | Extract<N, Date | string>>
  extends Comparable<'int64', I, N> {
  readonly add: WithInt<N>;
  readonly sub: WithInt<N>;
  readonly mul: WithInt<N>;
  readonly div: WithInt<N>;
  neg(): Int<N>;
  float(): Float<number | (N & null)>;
  asNumber(): Int<number | (N & null)>;
  asBigint(): Int<bigint | (N & null)>;
  orElse(other: I): Int<NonNullable<N>, I>;
  orElse<M>(other: Expr<'int64', M>): Int<NonNullable<N> | M>;
}

export interface Float<N = number, I = number> extends Comparable<'float64', I, N> {
  readonly add: WithFloat<N>;
  readonly sub: WithFloat<N>;
  readonly mul: WithFloat<N>;
  readonly div: WithFloat<N>;
  neg(): Float<N>;
  int(): Int<bigint | (N & null)>;
  orElse(other: I): Float<NonNullable<N>, I>;
  orElse<M>(other: Expr<'float64', M>): Float<NonNullable<N> | M>;
}

export interface Bool<N = boolean, I = boolean> extends Comparable<'bool', I, N> {
  and<M>(other: Bool<M>): Bool<N | M>;
  or<M>(other: Bool<M>): Bool<N | M>;
  not(): Bool<N>;
  orElse(other: I): Bool<NonNullable<N>, I>;
  orElse<M>(other: Expr<'bool', M>): Bool<NonNullable<N> | M>;
}

/** Bytes, or an identifier as text. */
export interface Bytes<N = Uint8Array, I = string | Uint8Array> extends Comparable<'bytes', I, N> {
  orElse(other: I): Bytes<NonNullable<N>, I>;
  orElse<M>(other: Expr<'bytes', M>): Bytes<NonNullable<N> | M>;
}

/** A branded identity `I`: compared with its like, and nothing else. */
export interface Identity<L extends LirType, I, N = I> extends Comparable<L, I, N> {
  orElse(other: I | Expr<L, I>): Identity<L, I>;
}

/** A truth value, NULL or not. */
type Test = Expr<'bool', unknown>;
export type AnyExpr = Part<unknown> & { isNull(): Bool };

/** A `count`, `sum` and so on: stands in `group` and `fold`. */
export interface Fold<L extends LirType, N> extends Expr<L, N> {
  readonly isFold: true;
}
export type AnyFold = Part<unknown> & { readonly isFold: true };

type RowOf<S> = { -readonly [K in keyof S]: S[K] extends Part<infer T> ? T : never };

/** What can be selected. */
type Fields = Readonly<Record<string, Part<unknown>>>;

/** The columns of an outer side: each can be NULL. */
export type Outer<C> = { readonly [K in keyof C]: Nullable<C[K]> };

type Nullable<E> =
  E extends Text<infer N, infer I>
    ? Text<N | null, I>
    : E extends Int<infer N, infer I>
      ? Int<N | null, I>
      : E extends Float<infer N, infer I>
        ? Float<N | null, I>
        : E extends Bool<infer N, infer I>
          ? Bool<N | null, I>
          : E extends Bytes<infer N, infer I>
            ? Bytes<N | null, I>
            : E;

/** Folds as columns of what they are grouped to. */
type Plain<S> = {
  readonly [K in keyof S]: S[K] extends Fold<infer L, infer N> ? ExprOf<L, N> : S[K];
};

export type ExprOf<L extends LirType, N> = L extends 'int64'
  ? Int<N>
  : L extends 'float64'
    ? Float<N>
    : L extends 'text'
      ? Text<N>
      : L extends 'bool'
        ? Bool<N>
        : Bytes<N>;

/** Columns as they can be set: values, or expressions that are as much NULL as the column may be. */
export type Settable<V, C> = {
  readonly [K in keyof V]: V[K] | (K extends keyof C ? Fitting<C[K]> : never);
};

type Fitting<E> =
  E extends Expr<infer L, infer N>
    ? Expr<L, Filling<L> | (N & null)> & { readonly soft?: never }
    : never;

interface Fillings {
  readonly text: string;
  readonly int64: bigint | number | string | Date;
  readonly float64: number;
  readonly bool: boolean;
  readonly bytes: string | Uint8Array;
}
type Filling<L extends LirType> = Fillings[L];

/** `S`: the rows that callbacks are given; `X`: what they are given besides, the relations of a table. */
export interface Rows<S extends readonly unknown[], X extends readonly unknown[]> {
  orderBy(terms: (...row: [...S, ...X]) => Term | AnyExpr | readonly (Term | AnyExpr)[]): this;
  limit(rows: number): this;
  offset(rows: number): this;
  exists(): Bool;
  count(): Int<number> & Soft;
  shared(): this;
  /** The name of its statement, in logs and spans. */
  named(name: string): this;
}

/** Rows of the same columns. */
type SameRows<R> = Part<R[]>;

/** An array of rows. */
export interface Query<R, S extends readonly unknown[], X extends readonly unknown[] = []>
  extends Rows<S, X>,
    Part<R[]> {
  where(predicate: (...row: [...S, ...X]) => Test): this;
  whereIn<L extends LirType, I, N>(
    of: (...row: [...S, ...X]) => Comparable<L, I, N>,
    values: Iterable<I>,
  ): this;
  select<F extends Fields>(fields: (...row: [...S, ...X]) => F): Query<RowOf<F>, [F]>;
  join<R2, S2, X2 extends readonly unknown[]>(
    right: Query<R2, [S2], X2>,
    on: (...sides: [...S, S2]) => Test,
  ): Query<R & R2, [...S, S2]>;
  leftJoin<R2, S2, X2 extends readonly unknown[]>(
    right: Query<R2, [S2], X2>,
    on: (...sides: [...S, S2]) => Test,
  ): Query<R & { [K in keyof R2]: R2[K] | null }, [...S, Outer<S2>]>;
  group<
    K extends Readonly<Record<string, AnyExpr>>,
    F extends Readonly<Record<string, AnyFold>> = Record<never, never>,
  >(
    keys: (...row: [...S, ...X]) => K,
    folds?: (...row: [...S, ...X]) => F,
  ): Query<RowOf<K & F>, [K & Plain<F>]>;
  fold<F extends Readonly<Record<string, AnyFold>>>(
    folds: (...row: [...S, ...X]) => F,
  ): One<RowOf<F>, RowOf<F>, [Plain<F>]>;
  distinct(): this;
  union(other: SameRows<R>): Query<R, S>;
  intersect(other: SameRows<R>, all?: boolean): Query<R, S>;
  except(other: SameRows<R>, all?: boolean): Query<R, S>;
  /** The first row, or null. */
  first(): One<R, R | null, S, X>;
  /** The only row; CardinalityError without one, or with several. */
  one(): One<R, R, S, X>;
  /** A value of the first row; NULL without rows. */
  value<E extends AnyExpr>(of: (...row: [...S, ...X]) => E): Nullable<E>;
}

/** An object; `T` is `R`, or `R | null`. */
export interface One<R, T, S extends readonly unknown[], X extends readonly unknown[] = []>
  extends Rows<S, X>,
    Part<T> {
  /** Null where the test is not TRUE. */
  where(predicate: (...row: [...S, ...X]) => Test): One<R, R | null, S, X>;
  select<F extends Fields>(
    fields: (...row: [...S, ...X]) => F,
  ): One<RowOf<F>, RowOf<F> | Extract<T, null>, [F]>;
  value<E extends AnyExpr>(of: (...row: [...S, ...X]) => E): Nullable<E>;
  first(): One<R, R | null, S, X>;
  one(): One<R, R, S, X>;
}

/** A statement that writes; `T`: its result. `rows` are for later statements of its program. */
export interface Writing<T, R, C, X> extends Part<T> {
  readonly rows: Query<R, [C], [X]>;
}

/** A table: rows `R`, new rows `N`, changes `P`, columns `C`, relations `L`, keys `K`. */
export interface Table<R, N, P, C, L, K extends object, U extends object = K>
  extends Query<R, [C], [L]> {
  readonly params: { readonly [M in keyof C]: Param<C[M]> };
  get(key: K | KeyOf<K, C>): One<R, R | null, [C], [L]>;
  by(key: U | KeyOf<U, C>): One<R, R | null, [C], [L]>;
  getMany(keys: Iterable<K>): Query<R, [C], [L]>;
  insert(row: N): Writing<R, R, C, L>;
  insertMany(rows: readonly N[]): Writing<R[], R, C, L>;
  insertFrom<S extends readonly unknown[], X extends readonly unknown[]>(
    from: Query<unknown, S, X>,
    fields: (...row: [...S, ...X]) => Settable<N, C>,
  ): Writing<R[], R, C, L>;
  /** Rows whose key is not there yet; the others stay as they are. */
  insertIgnore(rows: readonly N[], on?: readonly (keyof C)[]): Writing<R[], R, C, L>;
  upsert(rows: readonly N[], merge?: Merge<P, C>): Writing<R[], R, C, L>;
  update(
    key: K | KeyOf<K, C>,
    set: Settable<P, C> | ((row: C, relations: L) => Settable<P, C>),
  ): Writing<R | null, R, C, L>;
  updateWhere(
    predicate: (row: C, relations: L) => Test,
    set: Settable<P, C> | ((row: C, relations: L) => Settable<P, C>),
  ): Writing<R[], R, C, L>;
  updateFrom<S extends readonly unknown[], X extends readonly unknown[]>(
    from: Query<unknown, S, X>,
    fields: (...row: [...S, ...X]) => Settable<K & P, C>,
  ): Writing<R[], R, C, L>;
  delete(key: K | KeyOf<K, C>): Writing<R | null, R, C, L>;
  deleteWhere(predicate: (row: C, relations: L) => Test): Writing<R[], R, C, L>;
}

type KeyOf<K, C> = {
  readonly [M in keyof K]: K[M] | (M extends keyof C ? Expr<TypeOf<C[M]>, unknown> : never);
};
type TypeOf<E> = E extends Expr<infer L, unknown> ? L : never;

export interface Merge<P, C> {
  /** The columns of the key; the primary key if absent. */
  readonly on?: readonly (keyof C)[];
  /** What becomes of a row that is there; all given columns if absent. */
  readonly set?: readonly (keyof P)[] | ((current: C, input: C) => Settable<P, C>);
}

/** Statements in order: atomic, one round trip. */
export interface ProgramBuilder {
  do<T, R, C, X>(statement: Writing<T, R, C, X>): Writing<T, R, C, X>;
  query<R, S extends readonly unknown[], X extends readonly unknown[]>(
    query: Query<R, S, X>,
  ): Part<R[]> & { readonly rows: Query<R, S> };
  /** Undoes the program, with EnsureError, where the query has no row or the test is not TRUE. */
  ensure(name: string, held: Test | { exists(): Bool } | { readonly rows: unknown }): void;
}

export type Written<T> =
  T extends Runnable<infer V>
    ? V
    : T extends Part<infer V>
      ? V
      : { -readonly [K in keyof T]: T[K] extends Part<infer V> ? V : never };
