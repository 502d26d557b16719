/** What the client knows of queries: how they become text, how answers are read, and where their parts come from. */

export interface Compiled<out T = unknown> {
  /** The operation's name: of the query, else of what it is. */
  readonly name: string;
  readonly kind: 'query' | 'program';
  /** Whether no statement writes; decides what may be repeated. */
  readonly readOnly: boolean;
  /** JSON of the program, for POST. */
  readonly body: string;
  /** JSON of the relation, for QUERY; absent where the program is more than one plain relation. */
  readonly relationBody?: string | undefined;
  /**
   * Native values from the member `result` of an answer, integers beyond 2^53 in it as strings. Throws PrecisionError. `isShort`: no number in the answer has more
   * than 15 digits.
   */
  decode(result: unknown, isShort?: boolean): T;
  /** The builder's step that a JSON pointer into `body` belongs to, such as `where 1 of "feed"`; the empty text when unknown. */
  locate(pointer: string): string;
}

declare const result: unique symbol;

/** A query, a statement or a program whose result has the type T. */
export interface Runnable<out T> {
  readonly [result]?: T;
}

type ResultOf<X> = X extends Runnable<infer T> ? T : never;

/** Several queries as an object: they run in one round trip on one snapshot, and return an object of results. */
export type Several = { readonly [name: string]: Runnable<unknown> };

export type ResultsOf<S extends Several> = { -readonly [K in keyof S]: ResultOf<S[K]> };

declare const expression: unique symbol;

/** A value that is known when a prepared query runs. `E` is the type of its expression in the query. */
export interface Param<out E> {
  readonly [expression]?: E;
}

export type Params = Readonly<Record<string, Param<unknown>>>;

/** The expressions of parameters within the query. */
export type ParamExprs<A> = { readonly [K in keyof A]: A[K] extends Param<infer E> ? E : never };

/** The values of parameters in a call. */
export type ParamValues<A> = {
  readonly [K in keyof A]: A[K] extends Param<infer E> ? InputOf<E> : never;
};

type InputOf<E> = E extends { in(values: Iterable<infer I>): unknown }
  ? I | (ResultOf<E> & null)
  : never;

/** What the generated module brings: its schema, and how its queries are compiled. */
export interface Generated {
  readonly version: number;
  readonly hash: string;
  readonly tables: readonly KnownTable[];
  compile(runnable: unknown): Compiled;
  /** One page of a query; the result is a Page. */
  page(query: unknown, page: PageOptions): Compiled;
  /** Compiles once; what it gives puts the values of a call into the text. Absent where queries come compiled already. */
  prepare?: (
    name: string,
    params: Params,
    make: (values: never) => unknown,
  ) => (values: Readonly<Record<string, unknown>>) => Compiled;
}

export interface PageOptions {
  /** Maximum number of rows. */
  readonly size: number;
  /** A cursor of an earlier page of the same query. The page contains the rows after it. */
  readonly after?: string | null | undefined;
  /** A cursor of an earlier page of the same query. The page contains the rows before it. */
  readonly before?: string | null | undefined;
}

export interface Page<out T> {
  readonly rows: T[];
  /** Cursor for `after`; null if these are the last rows. */
  readonly next: string | null;
  /** Cursor for `before`; null if these are the first rows. */
  readonly previous: string | null;
}

/** A table as the client was generated from it. */
export interface KnownTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string | undefined;
    readonly nullable: boolean;
  }[];
  /** Columns of the primary key, then of each unique index. */
  readonly keys: readonly (readonly string[])[];
}
