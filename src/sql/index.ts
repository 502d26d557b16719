/** SQL: from the text of a statement to a program. Pure: no clock, no files, no state of a session. */

export type { CompileInput, CompileSetting, CutLiteral } from './compile-input.ts';
export type {
  ColumnShape,
  Compiled,
  Instance,
  SessionValues,
  SettingEffect,
  SqlColumn,
  SqlValue,
  StatementValues,
} from './compiled.ts';
export { SqlError, type SqlTrouble, sqlError, unsupported } from './sql-error.ts';
export type {
  IsolationName,
  PlacedStatement,
  SqlStatement,
  TransactionModes,
} from './statement.ts';
export type { SqlType, SqlTypeName } from './types/sql-type.ts';
