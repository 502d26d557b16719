/**
 * Parses pieces of long JSON texts with its own loop. JSON.parse looks up each short string in a global table. This is slow if the strings
 * differ, and takes a tenth of a second when the table has to grow. Here only member names enter that table, and their number is limited.
 */

import { ExactNumber } from './exact-number.ts';
import type { ParsedJson } from './parsed-json.ts';
import { blankEnd, isDigit, plainEnd, setMember, stringEnd } from './scan.ts';

/** Maximum number of different names in one document: several times the number of nodes and bindings of the largest program. */
const namesMax = 32_768;
/** Longer strings are seldom repeated, and JSON.parse does not look them up either. */
const wordLengthMax = 16;
/** A power of two. */
const wordsKept = 1024;
/** Longer integers are far outside int64, and creating a bigint of millions of digits takes seconds. */
const digitsMax = 100;
/** Makes a string too long to be looked up. */
const padding = '________________';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const integer = /^-?[0-9]+$/;

class Unreadable extends Error {}
class TooManyNames extends Error {}

/** A reader for the pieces of one document. */
export class PieceReader {
  private readonly names = new Set<string>();
  /** Strings read before, by their first, middle and last characters. Most are keywords of the language. */
  private readonly words: (string | undefined)[] = new Array(wordsKept).fill(undefined);
  private text = '';
  private at = 0;

  /**
   * Parses a piece like `parseJsonSteps`. Returns `undefined` for malformed text, which the caller diagnoses. `text` must be well-formed
   * Unicode and respect the limit of nesting.
   */
  read(text: string): ParsedJson | undefined {
    this.text = text;
    this.at = 0;
    try {
      const value = this.value('');
      this.skipBlanks();
      return this.at === text.length ? { kind: 'parsed', value } : undefined;
    } catch (error) {
      if (error instanceof TooManyNames) {
        return {
          kind: 'malformed',
          detail: `the document has more than ${namesMax} different member names`,
        };
      }
      if (error instanceof Unreadable || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Parses a value. `name` is that of the member that contains it. */
  private value(name: string): unknown {
    const unit = this.skipBlanks();
    if (unit === quote) return this.string();
    if (unit === 0x7b) return this.object();
    if (unit === 0x5b) return this.array();
    if (unit === minus || isDigit(unit)) return this.number(name);
    if (unit === 0x74) return this.literal('true', true);
    if (unit === 0x66) return this.literal('false', false);
    return this.literal('null', null);
  }

  private object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.at++;
    if (this.skipBlanks() === 0x7d) {
      this.at++;
      return object;
    }
    for (;;) {
      if (this.skipBlanks() !== quote) throw new Unreadable();
      const name = this.string();
      this.count(name);
      if (this.skipBlanks() !== colon) throw new Unreadable();
      this.at++;
      const value = this.value(name);
      setMember(object, name, value);
      if (this.isLast(0x7d)) return object;
    }
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.at++;
    if (this.skipBlanks() === 0x5d) {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.value(''));
      if (this.isLast(0x5d)) return array;
    }
  }

  /** Consumes the character after an element. Returns true if it is `closing`, false if it is a comma. */
  private isLast(closing: number): boolean {
    const unit = this.skipBlanks();
    this.at++;
    if (unit === closing) return true;
    if (unit !== comma) throw new Unreadable();
    return false;
  }

  private string(): string {
    const from = this.at + 1;
    const end = plainEnd(this.text, from, this.text.length);
    if (this.text.charCodeAt(end) !== quote) return this.escaped(from, end);
    this.at = end + 1;
    return this.word(from, end);
  }

  /** Parses a string that starts at `from` and whose first backslash or invalid character is at `at`. */
  private escaped(from: number, at: number): string {
    const end = stringEnd(this.text, at - 1);
    if (end === this.text.length) throw new Unreadable();
    const padded = JSON.parse(`"${this.text.slice(from, end)}${padding}"`) as string;
    if (!padded.isWellFormed()) throw new Unreadable();
    this.at = end + 1;
    return padded.slice(0, -padding.length);
  }

  private word(from: number, to: number): string {
    const { text, words } = this;
    const length = to - from;
    if (length > wordLengthMax || length === 0) return text.slice(from, to);
    const middle = text.charCodeAt(from + (length >> 1));
    const ends = text.charCodeAt(from) * 31 + text.charCodeAt(to - 1) * 7;
    const slot = (ends + middle * 3 + length * 67) & (wordsKept - 1);
    const known = words[slot];
    if (known !== undefined && known.length === length && isAt(text, from, known)) return known;
    const word = text.slice(from, to);
    words[slot] = word;
    return word;
  }

  private count(name: string): void {
    this.names.add(name);
    if (this.names.size > namesMax) throw new TooManyNames();
  }

  private number(name: string): unknown {
    const { text } = this;
    number.lastIndex = this.at;
    if (!number.test(text)) throw new Unreadable();
    const source = text.slice(this.at, number.lastIndex);
    this.at = number.lastIndex;
    const value = Number(source);
    if (source.length <= 15 && name !== 'value') return value;
    if (!integer.test(source)) {
      return name === 'value' && Number.isInteger(value) ? new ExactNumber(source) : value;
    }
    const isExact = Number.isSafeInteger(value) || source.length > digitsMax;
    return isExact ? value : BigInt(source);
  }

  private literal<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw new Unreadable();
    this.at += word.length;
    return value;
  }

  /** Skips white space and returns the next character; NaN at the end. */
  private skipBlanks(): number {
    this.at = blankEnd(this.text, this.at);
    return this.text.charCodeAt(this.at);
  }
}

function isAt(text: string, from: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    if (text.charCodeAt(from + i) !== word.charCodeAt(i)) return false;
  }
  return true;
}
