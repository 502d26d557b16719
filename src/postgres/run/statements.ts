/** Recognized and compiled statements, which all sessions of a server share. */

import { type RecognizedStatement, StatementCache } from '#sql';
import { CompiledStatement } from './compiled-statement.ts';
import type { SqlLanguage } from './language.ts';

export type Statements = StatementCache<CompiledStatement>;

export function openStatements(language: SqlLanguage): Statements {
  return new StatementCache({
    compile: (input) => new CompiledStatement(language.compile(input), input.setting.catalog),
    pinnedOf: ({ compiled }) => compiled.pinned,
    isValid: ({ catalog }, setting) => catalog === setting.catalog,
  });
}

/** Returns the statements of a text. The parser must be loaded. */
export function recognized(
  statements: Statements,
  language: SqlLanguage,
  text: string,
): readonly RecognizedStatement[] {
  const found = statements.recognize(text, language.parser());
  if (found === undefined) throw new Error('the parser is loaded before a text is recognized');
  return found;
}
