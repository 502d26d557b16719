/** The limits of a text, which are checked before the grammar sees it. */

import { Lexer, tokens } from '../lex/lexer.ts';
import { sqlError } from '../sql-error.ts';

const textBytesMax = 16 * 1024 * 1024;
const bracketDepthMax = 2000;

/** Throws if the text cannot be parsed. */
export function requireParsable(text: string): void {
  if (text.includes('\0')) {
    throw sqlError('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  }
  if (!text.isWellFormed()) {
    throw sqlError('22021', 'invalid byte sequence for encoding "UTF8"');
  }
  if (text.length > textBytesMax || Buffer.byteLength(text) > textBytesMax) {
    throw sqlError('54000', `the statement is longer than ${textBytesMax} bytes`, {
      hint: 'Send large values as parameters, or split the statement.',
    });
  }
  if (countOf(text, '(') + countOf(text, '[') > bracketDepthMax) requireShallow(text);
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count++;
    if (count > bracketDepthMax) break;
  }
  return count;
}

function requireShallow(text: string): void {
  const lexer = new Lexer(text);
  let depth = 0;
  while (lexer.next()) {
    if (lexer.kind === tokens.open) depth++;
    else if (lexer.kind === tokens.close) depth--;
    if (depth > bracketDepthMax) throw tooDeep();
  }
}

/** The error of a statement that nests too deep for a stack. */
export function tooDeep() {
  return sqlError('54001', 'stack depth limit exceeded', {
    hint: 'Simplify the statement: it nests too many expressions.',
  });
}
