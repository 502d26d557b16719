/**
 * SQL: from the text of a statement to a program (docs/sql.md). Pure: no clock, no files, no state of a session.
 *
 * Terms: a statement is recognized by its kind and place in a text (`statement.ts`). A program statement is compiled, together with the types of
 * its parameters, to a PIR program with places for values (`compiled.ts`). A type is one of PostgreSQL, with its numbers and its text forms
 * (`types/`). Errors contain the SQLSTATE, the message and the position that PostgreSQL gives them.
 */

export { compile } from './compile/compile.ts';
export type { CompileInput, CompileSetting } from './compile-input.ts';
export type {
  Compiled,
  Instance,
  SessionValues,
  SettingEffect,
  SqlColumn,
  SqlValue,
  StatementValues,
} from './compiled.ts';
export { cutStatements } from './family/cut.ts';
export {
  type PrepareRequest,
  type RecognizedProgram,
  type RecognizedStatement,
  StatementCache,
} from './family/statement-cache.ts';
export { SqlError, type SqlTrouble, sqlError, unsupported } from './sql-error.ts';
export type {
  PlacedStatement,
  SqlStatement,
  TransactionModes,
} from './statement.ts';
export { loadParser, type Parser, readyParser } from './statements/parser.ts';
export { columnType, labelOf } from './types/column-type.ts';
export { fitLength } from './types/fit-length.ts';
export { readText } from './types/read-text.ts';
export {
  allTypes,
  sqlTypes,
  typeByName,
  typeByOid,
  typeText,
  withModifier,
} from './types/registry.ts';
export type { SqlType } from './types/sql-type.ts';
export type { TextSetting } from './types/text-setting.ts';
export { timeZoneName } from './types/time/zone.ts';
export { writeText } from './types/write-text.ts';
