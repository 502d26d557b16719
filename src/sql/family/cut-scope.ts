/** The places of a statement where a literal is a value, so that a parameter may take its place. All other literals belong to the family. */

import { tokens } from '../lex/lexer.ts';
import { roles } from './keywords.ts';

const bracketKinds = {
  /** Its literals are values. */
  values: 0,
  /** Its literals are part of the statement, as in `varchar(20)` or `a[1]`. */
  fixed: 1,
} as const;
type BracketKind = (typeof bracketKinds)[keyof typeof bracketKinds];

const typeStates = { none: 0, expected: 1, named: 2 } as const;

/** A position in a statement, as the tokens before it determine it. */
export class CutScope {
  readonly #brackets: BracketKind[] = [];
  /** The depths of the brackets within which a list of BY is open. */
  readonly #byDepths: number[] = [];
  #fixedDepth = 0;
  #isExpression = false;
  #typeState: number = typeStates.none;
  /** The roles of the last token and of the one before; 0 for tokens that are not words. */
  #roles = 0;
  #rolesBefore = 0;

  get depth(): number {
    return this.#brackets.length;
  }

  /** Whether a literal at this position is a value. */
  get takesLiteral(): boolean {
    return this.#isExpression && this.#fixedDepth === 0 && this.#byDepths.length === 0;
  }

  /** Moves past a token. `has` are the roles of a word, `code` is the first character. */
  pass(kind: number, has: number, code: number): void {
    if (kind === tokens.word) this.#passWord(has);
    else if (kind === tokens.open) this.#open(code);
    else if (kind === tokens.close) this.#close();
    else this.#passOther(kind, code);
    this.#rolesBefore = this.#roles;
    this.#roles = has;
  }

  #passWord(has: number): void {
    if (has & roles.by) this.#byDepths.push(this.depth);
    else if (has & roles.endOfBy && this.#byDepths.at(-1) === this.depth) this.#byDepths.pop();
    this.#isExpression = (has & roles.expression) !== 0;
    if (has & roles.as) this.#typeState = typeStates.expected;
    else if (this.#typeState === typeStates.expected) this.#typeState = typeStates.named;
    else if (!(has & roles.typePart)) this.#typeState = typeStates.none;
  }

  #passOther(kind: number, code: number): void {
    const isDot = code === 46 && kind === tokens.operator;
    if (kind === tokens.cast) this.#typeState = typeStates.expected;
    else if (kind === tokens.quotedName && this.#typeState === typeStates.expected) {
      this.#typeState = typeStates.named;
    } else this.#typeState = isDot && this.#typeState ? typeStates.expected : typeStates.none;
    this.#isExpression = kind === tokens.comma || (kind === tokens.operator && !isDot);
  }

  #open(code: number): void {
    const kind = code === 91 ? this.#kindOfSquare() : this.#kindOfRound();
    this.#brackets.push(kind);
    this.#fixedDepth += kind;
    this.#typeState = typeStates.none;
    this.#isExpression = true;
  }

  /** `array[1]` contains values, `a[1]` does not. */
  #kindOfSquare(): BracketKind {
    const isArray = (this.#roles & roles.array) !== 0 || this.#isExpression;
    return isArray ? bracketKinds.values : bracketKinds.fixed;
  }

  #kindOfRound(): BracketKind {
    const isType = this.#typeState === typeStates.named;
    const isModifier = isType && !(this.#roles & roles.materialized);
    const isOrdinal = this.#roles & roles.on && this.#rolesBefore & roles.distinct;
    const isFixed = isModifier || isOrdinal || this.#roles & roles.extract;
    return isFixed ? bracketKinds.fixed : bracketKinds.values;
  }

  #close(): void {
    this.#fixedDepth -= this.#brackets.pop() ?? 0;
    while ((this.#byDepths.at(-1) ?? -1) > this.depth) this.#byDepths.pop();
    this.#typeState = typeStates.none;
    this.#isExpression = false;
  }
}
