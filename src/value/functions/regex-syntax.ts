/** Parses regular expressions: the advanced expressions of PostgreSQL without back references, look-around and word boundaries. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import { type CharacterTest, classNamed, classOfEscape, withoutCase } from './regex-classes.ts';

export type RegexNode =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: RegexNode;
      readonly least: number;
      /** Infinity if there is no limit. */
      readonly most: number;
    };

const nestingMax = 200;
const repetitionsMax = 255;

export function parseRegex(pattern: string, ignoresCase: boolean): RegexNode {
  if (pattern.startsWith('***') || (pattern.startsWith('(?') && /^\(\?[a-z]/.test(pattern))) {
    throw malformed('options before it are not supported');
  }
  return new Parser(pattern, ignoresCase).parse();
}

class Parser {
  private readonly characters: readonly string[];
  private readonly ignoresCase: boolean;
  private at = 0;
  private nesting = 0;

  constructor(pattern: string, ignoresCase: boolean) {
    this.characters = [...pattern];
    this.ignoresCase = ignoresCase;
  }

  parse(): RegexNode {
    const node = this.choice();
    if (this.next !== undefined) throw malformed('a parenthesis is not opened');
    return node;
  }

  private get next(): string | undefined {
    return this.characters[this.at];
  }

  private take(): string {
    const character = this.next;
    if (character === undefined) throw malformed('the end is missing');
    this.at++;
    return character;
  }

  private accepts(text: string): boolean {
    const characters = [...text];
    if (!characters.every((character, i) => this.characters[this.at + i] === character))
      return false;
    this.at += characters.length;
    return true;
  }

  private choice(): RegexNode {
    const parts = [this.sequence()];
    while (this.accepts('|')) parts.push(this.sequence());
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'choice', parts };
  }

  private sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.next !== undefined && this.next !== '|' && this.next !== ')')
      parts.push(this.repeat());
    return { kind: 'sequence', parts };
  }

  private repeat(): RegexNode {
    const part = this.atom();
    const bounds = this.bounds();
    if (bounds === undefined) return part;
    if (part.kind === 'start' || part.kind === 'end')
      throw malformed('an anchor cannot be repeated');
    // Whether a repetition takes few or many characters does not change whether the text matches.
    this.accepts('?');
    if (this.bounds() !== undefined) throw malformed('a repetition is repeated');
    const [least, most] = bounds;
    return { kind: 'repeat', part, least, most };
  }

  private bounds(): readonly [number, number] | undefined {
    if (this.accepts('*')) return [0, Infinity];
    if (this.accepts('+')) return [1, Infinity];
    if (this.accepts('?')) return [0, 1];
    if (this.next !== '{' || !/\d/.test(this.characters[this.at + 1] ?? '')) return undefined;
    this.at++;
    const least = this.count();
    const isOpen = this.accepts(',') && this.accepts('}');
    if (isOpen) return [least, Infinity];
    const isRange = this.characters[this.at - 1] === ',';
    const most = isRange ? this.count() : least;
    if (!this.accepts('}') || most < least) {
      throw malformed('a number of repetitions is malformed');
    }
    return [least, most];
  }

  private count(): number {
    let digits = '';
    while (/^\d$/.test(this.next ?? '') && digits.length < 4) digits += this.take();
    const count = Number(digits);
    if (digits === '' || count > repetitionsMax) {
      throw malformed(`a number of repetitions must be at most ${repetitionsMax}`);
    }
    return count;
  }

  private atom(): RegexNode {
    const character = this.take();
    switch (character) {
      case '(':
        return this.group();
      case '[':
        return this.character(this.bracket());
      case '.':
        return this.character(() => true);
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '\\':
        return this.character(this.escaped());
      case '*':
      case '+':
      case '?':
        throw malformed('a repetition has nothing to repeat');
      default:
        if (character === '{' && /\d/.test(this.next ?? '')) {
          throw malformed('a repetition has nothing to repeat');
        }
        return this.character(equal(character));
    }
  }

  private character(test: CharacterTest): RegexNode {
    return { kind: 'character', test: this.ignoresCase ? withoutCase(test) : test };
  }

  private group(): RegexNode {
    if (this.next === '?' && !this.accepts('?:')) throw malformed('look-around is not supported');
    if (++this.nesting > nestingMax)
      throw malformed(`parentheses are nested deeper than ${nestingMax}`);
    const node = this.choice();
    if (!this.accepts(')')) throw malformed('a parenthesis is not closed');
    this.nesting--;
    return node;
  }

  private escaped(): CharacterTest {
    const character = this.take();
    const known = classOfEscape(character);
    if (known !== undefined) return known;
    if (/[A-Za-z0-9]/.test(character)) {
      throw malformed(`the escape \\${character} is not supported`);
    }
    return equal(character);
  }

  /** Parses the rest of a bracket expression. */
  private bracket(): CharacterTest {
    const isNegated = this.accepts('^');
    const tests: CharacterTest[] = [];
    for (let isFirst = true; isFirst || this.next !== ']'; isFirst = false)
      tests.push(this.member());
    this.at++;
    const isMember: CharacterTest = (character) => tests.some((test) => test(character));
    const test = this.ignoresCase ? withoutCase(isMember) : isMember;
    return isNegated ? (character) => !test(character) : test;
  }

  private member(): CharacterTest {
    if (this.accepts('[:')) return this.namedClass();
    const first = this.take();
    if (first === '[' && (this.next === '.' || this.next === '=')) {
      throw malformed('collating elements are not supported');
    }
    if (first === '\\') return this.escaped();
    if (this.next !== '-' || this.characters[this.at + 1] === ']') return equal(first);
    this.at++;
    const last = this.take();
    if (last === '[' || last === '\\') throw malformed('a range must end with a character');
    const [from, to] = [first, last].map((end) => end.codePointAt(0) as number) as [number, number];
    if (from > to) throw malformed('a range ends before its start');
    if (this.next === '-' && this.characters[this.at + 1] !== ']') {
      throw malformed('a range is not followed by another one');
    }
    return (character) => {
      const point = character.codePointAt(0) as number;
      return point >= from && point <= to;
    };
  }

  private namedClass(): CharacterTest {
    let name = '';
    while (!this.accepts(':]')) name += this.take();
    const found = classNamed(name);
    if (found === undefined) throw malformed(`the class ${JSON.stringify(name)} is not supported`);
    return found;
  }
}

function equal(wanted: string): CharacterTest {
  return (character) => character === wanted;
}

function malformed(problem: string): EvaluationFailure {
  return new EvaluationFailure('invalid_argument', `invalid regular expression: ${problem}`);
}
