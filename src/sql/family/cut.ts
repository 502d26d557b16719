/** Cuts the statements of a text at their literals: statements that differ only in literals have the same family text. */

import type { CutLiteral } from '../compile-input.ts';
import { isNameCharacter, Lexer, tokens } from '../lex/lexer.ts';
import { CutScope } from './cut-scope.ts';
import { roles, rolesOf } from './keywords.ts';
import { literalOf } from './literal.ts';

/** A statement of a text that was cut. */
export interface CutStatement {
  /** The text of the statement with `$n` in place of each literal. Numbers begin above the greatest parameter of the statement. */
  readonly family: string;
  readonly literals: readonly CutLiteral[];
  /** A character for each literal: literals of one class have the same type in every statement of the family. */
  readonly classes: string;
  /** The statement in the text, in UTF-16 units, without spaces around. */
  readonly start: number;
  readonly end: number;
  /** The greatest number of a parameter `$n`. */
  readonly parametersMax: number;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

const dollar = 36;

/** Returns the statements of a text; `undefined` if a token is malformed, which the parser then reports. */
export function cutStatements(text: string): readonly CutStatement[] | undefined {
  const lexer = new Lexer(text);
  const statements: CutStatement[] = [];
  for (;;) {
    const cutter = new Cutter(text, lexer);
    const isLast = cutter.run();
    if (isLast === undefined) return undefined;
    if (!cutter.isEmpty) statements.push(cutter.result());
    if (isLast) return statements;
  }
}

/** Cuts one statement, from the position of a lexer to the next semicolon. */
class Cutter {
  readonly #text: string;
  readonly #lexer: Lexer;
  readonly #scope = new CutScope();
  readonly #literals: CutLiteral[] = [];
  readonly #places: Place[] = [];
  #classes = '';
  #parametersMax = 0;
  #start = -1;
  #end = 0;

  constructor(text: string, lexer: Lexer) {
    this.#text = text;
    this.#lexer = lexer;
  }

  get isEmpty(): boolean {
    return this.#start < 0;
  }

  /** Returns whether the text ends with the statement; `undefined` if it is malformed. */
  run(): boolean | undefined {
    const lexer = this.#lexer;
    let isCut: boolean | undefined;
    while (lexer.next()) {
      const { kind } = lexer;
      if (kind === tokens.malformed) return undefined;
      if (kind === tokens.semicolon && this.#scope.depth === 0) return false;
      if (this.#start < 0) this.#start = lexer.start;
      this.#end = lexer.end;
      if (kind === tokens.parameter) this.#parameter();
      const has = kind === tokens.word ? rolesOf(this.#text, lexer.start, lexer.end) : 0;
      if (isCut === undefined && kind !== tokens.open) isCut = (has & roles.cutStatement) !== 0;
      if (isCut === true && isLiteral(kind) && this.#scope.takesLiteral) this.#cut();
      this.#scope.pass(kind, has, this.#text.charCodeAt(lexer.start));
    }
    return true;
  }

  #parameter(): void {
    const number = Number(this.#text.slice(this.#lexer.start + 1, this.#lexer.end));
    this.#parametersMax = Math.max(this.#parametersMax, number);
  }

  #cut(): void {
    const { kind, start, end } = this.#lexer;
    const found = literalOf(kind, this.#text.slice(start, end));
    if (found === undefined) return;
    this.#literals.push(found.literal);
    this.#classes += found.class;
    this.#places.push({ start, end });
  }

  result(): CutStatement {
    let family = '';
    let from = this.#start;
    let number = this.#parametersMax;
    for (const { start, end } of this.#places) {
      family += this.#text.slice(from, start);
      // Without a space, a word around the literal would take in the parameter, because names can contain dollar signs.
      if (isNamePart(this.#text.charCodeAt(start - 1))) family += ' ';
      family += `$${++number}`;
      if (isNamePart(this.#text.charCodeAt(end))) family += ' ';
      from = end;
    }
    return {
      family: family + this.#text.slice(from, this.#end),
      literals: this.#literals,
      classes: this.#classes,
      start: this.#start,
      end: this.#end,
      parametersMax: this.#parametersMax,
    };
  }
}

function isNamePart(code: number): boolean {
  return code === dollar || isNameCharacter(code);
}

function isLiteral(kind: number): boolean {
  return (
    kind === tokens.string ||
    kind === tokens.integer ||
    kind === tokens.decimal ||
    kind === tokens.escapeString ||
    kind === tokens.dollarString
  );
}
