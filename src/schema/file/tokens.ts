/** From text to concrete syntax, no deeper, longer or stranger than a schema can be: what comes after takes its time for whole collections. */

import { CST, Lexer, Parser } from 'yaml';
import type { Findings } from './findings.ts';

/** A schema needs seven levels; the stack holds up to two entries for each. */
const depthMax = 64;
/** Pieces that the text falls into: they are what reading costs time for. */
const lexemesMax = 800_000;
/** Members of a mapping; a schema has ten kinds of them. */
const membersMax = 1_000;
/** Elements of a list: more than a database has tables. */
const elementsMax = 5_000;
/** Anchors, aliases and tags, of which a schema has none; and what is beside its one document. Up to here each is reported by itself. */
const straysMax = 100;
/** Lines of texts that have several; of all that a schema says only the default of a text may. Each line is cut out and looked at. */
const textLinesMax = 10_000;

/** Undefined when `findings` says why. */
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

const tooMany = `the file has more than ${lexemesMax} pieces of syntax`;

class Reading {
  private readonly parser = new Parser();
  /** Documents and what stands between them, but for comments and space. */
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

  /** What there is too much of. */
  excess(): string | undefined {
    const { stack } = this.parser;
    if (stack.length > depthMax) return 'the file is nested deeper than any schema';
    if (this.extras > straysMax) {
      return `the file has more than ${straysMax} anchors, aliases and tags: none is allowed in a schema file`;
    }
    if (this.textLines > textLinesMax) {
      return `the texts of the file have more than ${textLinesMax} lines, more than those of any schema`;
    }
    if (this.tokens.length > straysMax) {
      return `the file has more than ${straysMax} documents, directives and pieces beside them: a schema file is one document`;
    }
    return excessOf(stack.at(-1));
  }

  private add(token: CST.Token): void {
    if (!idle.has(token.type)) this.tokens.push(token);
  }
}

/** What anchors, aliases and tags begin with where no scalar is announced. */
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
