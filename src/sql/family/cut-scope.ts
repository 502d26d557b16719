/** The places of a statement where a literal is a value, so that a parameter may take its place. All other literals belong to the family. */

import { tokens } from '../lex/lexer.ts';

/** Words after which an expression begins. */
const expressionWords = new Set(
  `select where and or not when then else having limit offset values between like ilike returning all distinct case on
  from`.split(/\s+/),
);
/** Clauses that end a list of GROUP BY or ORDER BY. The integers in such a list are ordinals. */
const endsOfBy = new Set(
  `having limit offset fetch for union intersect except window returning order rows range groups select from`.split(
    ' ',
  ),
);
/** The words that can follow another word in the name of a type. */
const typeWords = new Set(['varying', 'precision', 'character', 'char']);

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
  #word = '';
  #wordBefore = '';

  get depth(): number {
    return this.#brackets.length;
  }

  /** Whether a literal at this position is a value. */
  get takesLiteral(): boolean {
    return this.#isExpression && this.#fixedDepth === 0 && this.#byDepths.length === 0;
  }

  /** Moves past a token. `word` is in lower case, and empty if the token is not a word. */
  pass(kind: number, word: string, code: number): void {
    if (kind === tokens.word) this.#passWord(word);
    else if (kind === tokens.open) this.#open(code);
    else if (kind === tokens.close) this.#close();
    else this.#passOther(kind, code);
    this.#wordBefore = this.#word;
    this.#word = word;
  }

  #passWord(word: string): void {
    if (word === 'by') this.#byDepths.push(this.depth);
    else if (this.#byDepths.at(-1) === this.depth && endsOfBy.has(word)) this.#byDepths.pop();
    this.#isExpression = expressionWords.has(word);
    if (word === 'as') this.#typeState = typeStates.expected;
    else if (this.#typeState === typeStates.expected) this.#typeState = typeStates.named;
    else if (!typeWords.has(word)) this.#typeState = typeStates.none;
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
    const isNested = this.#word === '' && this.#isExpression;
    return this.#word === 'array' || isNested ? bracketKinds.values : bracketKinds.fixed;
  }

  #kindOfRound(): BracketKind {
    const isModifier = this.#typeState === typeStates.named && this.#word !== 'materialized';
    const isOrdinal = this.#word === 'on' && this.#wordBefore === 'distinct';
    const isFixed = isModifier || isOrdinal || this.#word === 'extract';
    return isFixed ? bracketKinds.fixed : bracketKinds.values;
  }

  #close(): void {
    this.#fixedDepth -= this.#brackets.pop() ?? 0;
    while ((this.#byDepths.at(-1) ?? -1) > this.depth) this.#byDepths.pop();
    this.#typeState = typeStates.none;
    this.#isExpression = false;
  }
}
