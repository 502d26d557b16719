/** A question to every engine, as a program and as SQL, and the workloads that questions belong to. */

import type { ShopTable } from './tables.ts';

export interface Question {
  /** The name of the question in `--only` and in goals.ts. */
  readonly id: string;
  readonly name: string;
  /** Differs from turn to turn where a user would ask about something else each time. */
  readonly program: (turn: number) => string;
  readonly sql: (turn: number, dialect: Dialect) => string;
  /** Present if the question changes `rows` rows. `check` reads the state that the change leaves. */
  readonly change?: { readonly rows: number; readonly check: Pick<Question, 'program' | 'sql'> };
}

export type Dialect = 'sqlite' | 'duckdb' | 'postgres';

export type EngineName = 'svc' | Dialect;

/** Tables of one size, and the questions about them. */
export interface Workload {
  readonly tables: readonly ShopTable[];
  readonly questions: readonly Question[];
  readonly measured?: MeasuredTable;
}

/** The table whose load is measured. */
export interface MeasuredTable {
  readonly name: string;
  /** The columns of the index that is built over its rows. */
  readonly index: readonly string[];
  /** The program of a read by primary key, which runs beside an index build. */
  readonly read: (turn: number) => string;
}
