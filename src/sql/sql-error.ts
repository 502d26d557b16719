/** An error in a statement, with its SQLSTATE. The errors of the engine are failures; `postgres` shows both alike. */

import type { ViolatedConstraint } from '#failure';

export interface SqlTrouble {
  /** The SQLSTATE of PostgreSQL, five characters. */
  readonly sqlstate: string;
  readonly message: string;
  /** Position of the cause in the text of the message, in characters, from 1. */
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** The constraint that a value violates. */
  readonly constraint?: ViolatedConstraint | undefined;
}

export class SqlError extends Error {
  readonly trouble: SqlTrouble;

  constructor(trouble: SqlTrouble) {
    super(trouble.message);
    this.name = 'SqlError';
    this.trouble = trouble;
  }
}

/** Creates an error: `throw sqlError('42703', 'column "x" does not exist', { position })`. */
export function sqlError(
  sqlstate: string,
  message: string,
  more: Omit<SqlTrouble, 'sqlstate' | 'message'> = {},
): SqlError {
  return new SqlError({ sqlstate, message, ...more });
}

/** Creates the error of a feature of PostgreSQL that svc does not have. `hint` is the remedy. */
export function unsupported(
  feature: string,
  more: Omit<SqlTrouble, 'sqlstate' | 'message'> = {},
): SqlError {
  return sqlError('0A000', `${feature} is not supported`, more);
}
