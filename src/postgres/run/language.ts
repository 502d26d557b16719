/** SQL as sessions use it. */

import {
  type Compiled,
  type CompileInput,
  compile,
  loadParser,
  type Parser,
  readyParser,
} from '#sql';

export interface SqlLanguage {
  /** Returns the parser, or `undefined` if it must be loaded first. */
  parser(): Parser | undefined;
  load(): Promise<Parser>;
  compile(input: CompileInput): Compiled;
}

export const sql: SqlLanguage = {
  parser: readyParser,
  load: loadParser,
  compile,
};
