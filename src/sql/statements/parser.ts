/** The parser of SQL text: from a text to recognized statements. */

import { Lexer, tokens } from '../lex/lexer.ts';
import { isGrammarReady, loadGrammar, parseText } from '../parse/grammar.ts';
import type { PlacedStatement } from '../statement.ts';
import { recognize } from './recognize.ts';

export interface Parser {
  /**
   * Returns the statements of a text; an empty list if there are none. Throws an `SqlError`. After the error 54001 the parser cannot be used:
   * call `readyParser` before each message.
   */
  statements(text: string): readonly PlacedStatement[];
}

const parser: Parser = {
  statements: (text) =>
    parseText(text).map(({ node, start, end }) => ({
      statement: recognize(node, text),
      start,
      end,
      parametersMax: parametersIn(text.slice(start, end)),
    })),
};

/** Returns the parser if it can be used now. */
export function readyParser(): Parser | undefined {
  return isGrammarReady() ? parser : undefined;
}

/** Returns the parser as soon as it can be used. The first call takes about 60 ms and 30 MB. */
export async function loadParser(): Promise<Parser> {
  if (!isGrammarReady()) await loadGrammar();
  return parser;
}

function parametersIn(text: string): number {
  let max = 0;
  if (!text.includes('$')) return max;
  const lexer = new Lexer(text);
  while (lexer.next()) {
    if (lexer.kind !== tokens.parameter) continue;
    max = Math.max(max, Number(text.slice(lexer.start + 1, lexer.end)));
  }
  return max;
}
