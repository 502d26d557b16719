/** Parses the text of a file into YAML tokens, with limits on depth, length and unusual syntax, since the later stages process whole collections without yielding. */

import { CST, Lexer, Parser } from 'yaml';
import type { Findings } from './findings.ts';

/** Maximum depth of the parser stack. Tables have seven levels, with up to two stack entries each; a condition of a policy has at most 64 levels. */
const depthMax = 96;
/** Maximum number of lexemes of a file, which determine the time of parsing. */
const lexemesMax = 800_000;
/** Maximum number of members of a mapping, more than the tables of a database. */
const membersMax = 5_000;
/** Maximum number of elements of a list, more than the tables of a database. */
const elementsMax = 5_000;
/** Maximum number of anchors, aliases and tags, and of top-level tokens. A schema has no such syntax and one document; up to this number each is reported separately. */
const straysMax = 100;
/** Maximum number of lines in multi-line strings, since the library processes each line. In a schema, only defaults of text columns can have several lines. */
const textLinesMax = 10_000;

/** Returns the tokens, `undefined` if a limit is exceeded, which `findings` then reports. */
export function tokensOf(text: string, findings: Findings): readonly CST.Token[] | undefined {
  const reading = new Reading();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    reading.next(lexeme);
    lexemes++;
    const excess = lexemes > lexemesMax ? tooMany : reading.excess();
    if (excess === undefined) continue;
    const { offset } = reading;
    findings.shape({ from: offset, to: offset + 1 }, excess);
    return undefined;
  }
  reading.end();
  return reading.tokens;
}

const tooMany = `the file has more than ${lexemesMax} YAML tokens`;

class Reading {
  private readonly parser = new Parser();
  /** Top-level tokens: documents and the tokens between them, except comments and space. */
  readonly tokens: CST.Token[] = [];
  private extras = 0;
  private textLines = 0;
  private isScalar = false;

  get offset(): number {
    return this.parser.offset;
  }

  next(lexeme: string): void {
    if (!this.isScalar && extras.has(lexeme.charAt(0))) this.extras++;
    if (this.isScalar || quotes.has(lexeme.charAt(0))) this.textLines += lineEndsIn(lexeme);
    this.isScalar = lexeme === CST.SCALAR;
    for (const token of this.parser.next(lexeme)) this.add(token);
  }

  end(): void {
    for (const token of this.parser.end()) this.add(token);
  }

  /** Returns the message of an exceeded limit, `undefined` if there is none. */
  excess(): string | undefined {
    const { stack } = this.parser;
    if (stack.length > depthMax) return 'the file is nested deeper than any schema';
    if (this.extras > straysMax) {
      return `the file has more than ${straysMax} anchors, aliases and tags; a schema file must not contain any`;
    }
    if (this.textLines > textLinesMax) {
      return `the multi-line strings of the file have more than ${textLinesMax} lines, more than those of any schema`;
    }
    if (this.tokens.length > straysMax) {
      return `the file has more than ${straysMax} documents, directives and other top-level tokens; a schema file is one document`;
    }
    return excessOf(stack.at(-1));
  }

  private add(token: CST.Token): void {
    if (!idle.has(token.type)) this.tokens.push(token);
  }
}

/** The first characters of anchors, aliases and tags, unless the lexer has announced a scalar. */
const extras = new Set(['&', '*', '!']);
const quotes = new Set(['"', "'"]);
const idle = new Set<CST.Token['type']>(['comment', 'newline', 'space']);

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function excessOf(token: CST.Token | undefined): string | undefined {
  switch (token?.type) {
    case 'block-map':
      return token.items.length > membersMax ? manyMembers : undefined;
    case 'block-seq':
      return token.items.length > elementsMax ? manyElements : undefined;
    case 'flow-collection': {
      if (token.start.source === '[')
        return token.items.length > elementsMax ? manyElements : undefined;
      return token.items.length > membersMax ? manyMembers : undefined;
    }
    default:
      return undefined;
  }
}

const manyMembers = `a mapping has more than ${membersMax} members, more than any of a schema`;
const manyElements = `a list has more than ${elementsMax} elements, more than any of a schema`;
