/** SQL as sessions use it. The parser is loaded at the first connection. */

import type { Compiled, CompileInput, PlacedStatement, SqlType } from '#sql';
import type { TextConversion } from '../format/text-conversion.ts';

export interface SqlLanguage {
  /** Splits a text into its statements. Throws an `SqlError` for a syntax error. */
  statements(text: string): readonly PlacedStatement[];
  compile(input: CompileInput): Compiled;
  typeByOid(oid: number): SqlType | undefined;
  /** Returns the text forms of values under settings of a session. */
  conversion(timeZone: string, byteaOutput: 'hex' | 'escape'): TextConversion;
}
