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

/** What a reading process answers: queries, each on one state, up to about two seconds old. */
export interface Reader {
  /** Runs a query, a statement or a program; an object of queries in one round trip, on one snapshot. */
  run<T>(runnable: Runnable<T>, call?: CallOptions): Promise<T>;
  run<S extends Several>(runnables: S, call?: CallOptions): Promise<ResultsOf<S>>;
  /** As `run`, for queries: the same frozen object (`===`) as long as nothing that it was made of has changed. */
  cached<T>(query: Runnable<T>, call?: CallOptions): Promise<DeepReadonly<T>>;
  cached<S extends Several>(queries: S, call?: CallOptions): Promise<DeepReadonly<ResultsOf<S>>>;
  /** The result now, and again whenever it has changed. */
  watch<T>(query: Runnable<T>, options?: WatchOptions): AsyncIterableIterator<DeepReadonly<T>>;
  watch<S extends Several>(
    queries: S,
    options?: WatchOptions,
  ): AsyncIterableIterator<DeepReadonly<ResultsOf<S>>>;
  /** Compiles once; each call puts its values into the text. Parameters stand where values do, such as `t.posts.params.id`. */
  prepare<const A extends Params, T>(
    name: string,
    params: A,
    make: (values: ParamExprs<A>) => Runnable<T>,
  ): (values: ParamValues<A>, call?: CallOptions) => Promise<T>;
  /** Rows behind or in front of a cursor. */
  page<T>(query: Runnable<T[]>, options: PageOptions & CallOptions): Promise<Page<T>>;
  /** All rows, `size` at a time, each time on a snapshot of its own. */
  pages<T>(query: Runnable<T[]>, size: number, call?: CallOptions): AsyncIterableIterator<T[]>;
  /** How it would run; nothing runs. */
  explain(runnable: Runnable<unknown> | Several, call?: CallOptions): Promise<Plan>;
  /** Whether the server would take it; nothing runs. */
  check(runnable: Runnable<unknown> | Several, call?: CallOptions): Promise<void>;
  /** Runs it, and tells how it ran. A level that the server refuses is reported, and the rest done without. */
  analyze<T>(runnable: Runnable<T>, level?: Level, call?: CallOptions): Promise<Analysis<T>>;
  /** A program as it stands on the wire; integers of 16 digits and more come back as strings. */
  raw(program: object, call?: CallOptions): Promise<ProgramAnswer>;
}

export interface Client extends Reader {
  /** Inserts rows by several programs of at most 1,000 rows and 3 MiB; the number of rows. Not atomic: a failure leaves what was inserted before. */
  copy<N>(
    table: Insertable<N>,
    rows: Iterable<N> | AsyncIterable<N>,
    call?: CopyOptions,
  ): Promise<number>;
  /** Of `readerUrl`, or of the same server without one. Statements and programs that write throw BuildError. */
  readonly reader: Reader;
  /** Gives up what is under way; whatever is asked afterwards throws TransportError of the phase `aborted`. */
  close(): void;
}

export type Level = 'summary' | 'detailed' | 'full';

/** The server's plan; `view` is a tree whose members change as the planner does. */
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
  /** Absent without a level, and when the server refuses it. */
  readonly diagnostics?: unknown;
  /** Why the server refuses the level. */
  readonly refused?: string;
}
