/** A question to every engine: a program, SQL, and where one is easy a plain loop. */

import type { ShopTable } from './tables.ts';

export interface Question {
  readonly name: string;
  /** Differs from turn to turn where a user would ask about something else each time. */
  readonly program: (turn: number) => string;
  readonly sql: (turn: number, dialect: Dialect) => string;
  readonly loop?: () => unknown;
  /** The most time it may take, of a measured one. */
  readonly goal: Goal;
}

export type Dialect = 'sqlite' | 'duckdb';

/** `times` the time of a reference, a primary-key read over HTTP among them; or so many milliseconds. */
export type Goal =
  | { readonly of: 'point' | 'sqlite' | 'duckdb'; readonly times: number }
  | { readonly ms: number };

/** Tables of one size, and what is asked about them. */
export interface Workload {
  readonly tables: readonly ShopTable[];
  readonly questions: readonly Question[];
}
