/** The parser and the compiler as sessions use them. They are loaded when the server begins to serve SQL. */

import type { Compiled, CompileInput, PlacedStatement } from '#sql';

export interface SqlLanguage {
  /** Splits a text into its statements. Throws an `SqlError` for a syntax error. */
  statements(text: string): readonly PlacedStatement[];
  compile(input: CompileInput): Compiled;
}
