/** The errors of text that is not a value of its type, in the words of PostgreSQL. */

import { type SqlError, type SqlTrouble, sqlError } from '../sql-error.ts';

export function invalidText(
  type: string,
  text: string,
  more: Pick<SqlTrouble, 'detail' | 'hint'> = {},
): SqlError {
  return sqlError('22P02', `invalid input syntax for type ${type}: "${text}"`, more);
}

/** A number that does not fit its type. */
export function outOfRange(type: string, text: string): SqlError {
  return sqlError('22003', `value "${text}" is out of range for type ${type}`);
}
