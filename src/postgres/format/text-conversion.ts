/** The text forms of values, which belong to SQL and depend on settings of the session. */

import type { SqlType, SqlValue } from '#sql';

export interface TextConversion {
  /** Throws `22P02` and its relatives for a text that is not a value of the type. */
  read(type: SqlType, text: string): SqlValue;
  write(type: SqlType, value: SqlValue): string;
}
