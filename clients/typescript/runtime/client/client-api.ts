/** The members of a client, as applications see them. */

import type { DeepReadonly } from './cache.ts';
import type { CopyOptions, Insertable } from './copy.ts';
import type { CallOptions } from './options.ts';
import type {
  Page,
  PageOptions,
  ParamExprs,
  Params,
  ParamValues,
  ResultsOf,
  Runnable,
  Several,
} from './seam.ts';
import type { ProgramAnswer } from './server.ts';
import type { WatchOptions } from './watch.ts';

/** The operations of a read-only reader: queries, each on one state that is up to about two seconds old. */
export interface Reader {
  /** Runs a query, a statement or a program. Runs an object of queries in one round trip, on one snapshot. */
  run<T>(runnable: Runnable<T>, call?: CallOptions): Promise<T>;
  run<S extends Several>(runnables: S, call?: CallOptions): Promise<ResultsOf<S>>;
  /** Runs a query like `run`. Returns the same frozen object (`===`) until data that the query reads changes. */
  cached<T>(query: Runnable<T>, call?: CallOptions): Promise<DeepReadonly<T>>;
  cached<S extends Several>(queries: S, call?: CallOptions): Promise<DeepReadonly<ResultsOf<S>>>;
  /** Yields the current result, and then each result that differs from the previous one. */
  watch<T>(query: Runnable<T>, options?: WatchOptions): AsyncIterableIterator<DeepReadonly<T>>;
  watch<S extends Several>(
    queries: S,
    options?: WatchOptions,
  ): AsyncIterableIterator<DeepReadonly<ResultsOf<S>>>;
  /** Compiles a query once. Each call inserts its values into the compiled text. A parameter, such as `t.posts.params.id`, can be used in place of a value. */
  prepare<const A extends Params, T>(
    name: string,
    params: A,
    make: (values: ParamExprs<A>) => Runnable<T>,
  ): (values: ParamValues<A>, call?: CallOptions) => Promise<T>;
  /** Returns the rows after or before a cursor. */
  page<T>(query: Runnable<T[]>, options: PageOptions & CallOptions): Promise<Page<T>>;
  /** Returns all rows in pages of `size` rows, each page on its own snapshot. */
  pages<T>(query: Runnable<T[]>, size: number, call?: CallOptions): AsyncIterableIterator<T[]>;
  /** Returns the query plan without execution. */
  explain(runnable: Runnable<unknown> | Several, call?: CallOptions): Promise<Plan>;
  /** Checks whether the server would accept the operation, without execution. Throws the error of the server if it would not. */
  check(runnable: Runnable<unknown> | Several, call?: CallOptions): Promise<void>;
  /** Runs the operation, and returns its result, plan and diagnostics. If the server refuses the level, `refused` contains the reason, and the operation runs without diagnostics. */
  analyze<T>(runnable: Runnable<T>, level?: Level, call?: CallOptions): Promise<Analysis<T>>;
  /** Sends a program in JSON (PIR) unchanged. The response contains integers of 16 digits and more as strings. */
  raw(program: object, call?: CallOptions): Promise<ProgramAnswer>;
}

export interface Client extends Reader {
  /** Inserts rows by several programs of at most 1,000 rows and 3 MiB each. Returns the number of rows. Not atomic: if a program fails, the rows of earlier programs stay. */
  copy<N>(
    table: Insertable<N>,
    rows: Iterable<N> | AsyncIterable<N>,
    call?: CopyOptions,
  ): Promise<number>;
  /** The reader at `readerUrl`, or the same server if there is no `readerUrl`. Statements and programs that write throw a BuildError. */
  readonly reader: Reader;
  /** Aborts the operations in progress. Every later operation throws a TransportError of the phase `aborted`. */
  close(): void;
}

export type Level = 'summary' | 'detailed' | 'full';

/** The query plan of the server. `view` is a tree whose members can change with each version of the planner. */
export interface Plan {
  readonly statements: readonly {
    readonly name: string;
    readonly text: string;
    readonly view: unknown;
  }[];
}

export interface Analysis<out T> {
  readonly result: T;
  readonly plan: Plan;
  /** Measurements of the server; absent without a level, and if the server refuses the level. */
  readonly diagnostics?: unknown;
  /** The reason for which the server refuses the level. */
  readonly refused?: string;
}
