/** The result of compiling one statement: a program with places for values, and the description of its result. */

import type { Program } from '#pir';
import type { Row, Scalar } from '#value';
import type { SqlType } from './types/sql-type.ts';

/**
 * A value of an SQL type in its stored form (`SqlType.stored`): a date or a timestamp is a number of milliseconds, a uuid is bytes.
 * The value of an array is the list of its elements.
 */
export type SqlValue = Scalar | readonly SqlValue[];

/** The values of one execution. */
export interface StatementValues {
  /** The values of `$1`, `$2`, … */
  readonly parameters: readonly SqlValue[];
  /** The values of the literals that were cut out of the text, in order. */
  readonly literals: readonly SqlValue[];
  readonly session: SessionValues;
}

/** The values that functions such as `now()` and `current_user` return. */
export interface SessionValues {
  /** Time at which the transaction began, in milliseconds since 1970. */
  readonly transactionMs: number;
  /** Time at which the statement arrived. */
  readonly statementMs: number;
  readonly user: string;
  readonly database: string;
  readonly backendPid: number;
  /** Returns the value of a setting, or `undefined` if there is no such setting. */
  setting(name: string): string | undefined;
}

/** How the encoder shows a column. */
type ColumnShape =
  | { readonly kind: 'scalar' }
  /** Nested rows as JSON; each column of the nested rows has its own shape. */
  | { readonly kind: 'json' }
  /** A nested list of rows with one column, as an array of PostgreSQL. */
  | { readonly kind: 'array' };

export interface SqlColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly shape: ColumnShape;
  /** Schema ids of the table and the column, if the column is one of a table. */
  readonly tableId?: number | undefined;
  readonly columnId?: number | undefined;
}

/** A program with the values of one execution, and the objects of the program that depend on values. */
export interface Instance {
  readonly program: Program;
  /**
   * For each object of the program that depends on a value (a literal, a `rows` node, a `slice` node, a part of a pattern): the function that
   * computes the parameter of the plan that comes from it. `member` distinguishes the two counts of a `slice` node.
   */
  readonly places: ReadonlyMap<
    object,
    (values: StatementValues, member?: 'offset' | 'limit') => Scalar | readonly Row[]
  >;
}

export interface Compiled {
  /** The command tag without its numbers, such as `SELECT` or `CREATE TABLE`. */
  readonly tag: string;
  /** Names of the statements of the program whose affected rows the tag counts. If absent, the tag counts the rows of the result. */
  readonly counted?: readonly string[] | undefined;
  /** Whether the tag contains a number at all. */
  readonly isCounted: boolean;
  readonly isReadOnly: boolean;
  /** Whether the program changes the catalog. */
  readonly isCatalogChange: boolean;
  /** The types of `$1`, `$2`, … */
  readonly parameters: readonly SqlType[];
  /** The columns of the result. `undefined`: the statement returns no rows. A result may have more columns than are shown; the first ones are. */
  readonly columns: readonly SqlColumn[] | undefined;
  /** Indexes of the cut literals whose value the compiler used. The statement is valid only for equal values of them. */
  readonly pinned: readonly number[];
  /** Settings that the statement changes before it runs, as `set_config` does. */
  readonly effects: readonly SettingEffect[];
  /** Messages that the session sends before the tag. */
  readonly notices?: readonly StatementNotice[] | undefined;
  /** A plan is valid for all values of one variant: the digits of counts, the order of the wildcards of patterns. */
  variant(values: StatementValues): string;
  instantiate(values: StatementValues): Instance;
}

export interface StatementNotice {
  readonly sqlstate: string;
  readonly message: string;
}

/** One call of `set_config`. */
export interface SettingEffect {
  readonly isLocal: boolean;
  name(values: StatementValues): string;
  value(values: StatementValues): string;
}
