/** Tokens of SQL text by the lexical rules of PostgreSQL, as far as literals, brackets and statements depend on them. */

/** Kinds of tokens. Numbers, because a token is compared several times. */
export const tokens = {
  /** An identifier or a keyword without quotes. */
  word: 1,
  quotedName: 2,
  /** `'…'` in one piece. */
  string: 3,
  /** `E'…'` in one piece. */
  escapeString: 4,
  dollarString: 5,
  /** A literal whose text is not its value: bits, Unicode escapes, and strings that continue on a later line. */
  otherString: 6,
  integer: 7,
  decimal: 8,
  /** `$1`. */
  parameter: 9,
  /** One character of an operator, or any other character. */
  operator: 10,
  open: 11,
  close: 12,
  comma: 13,
  semicolon: 14,
  cast: 15,
  /** A token that never ends, or a number with letters. The parser gives the error. */
  malformed: 16,
} as const;

const zero = 48;
const nine = 57;

/** The classes of the ASCII characters. */
const blank = 1;
const nameStart = 2;
const digit = 3;
const classes = new Uint8Array(128);
for (const character of ' \t\n\r\f\v') classes[character.charCodeAt(0)] = blank;
for (let code = 0; code < 26; code++) {
  classes[65 + code] = nameStart;
  classes[97 + code] = nameStart;
}
classes[95] = nameStart;
for (let code = zero; code <= nine; code++) classes[code] = digit;

const quote = 39;
const doubleQuote = 34;
const dollar = 36;
const dot = 46;
const dash = 45;
const slash = 47;
const star = 42;
const colon = 58;
const backslash = 92;

/** A position in a text. `next` moves to the next token, whose kind and place are in the fields. */
export class Lexer {
  kind: number = 0;
  start = 0;
  end = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns whether there is another token. Comments and spaces are passed over. */
  next(): boolean {
    const text = this.#text;
    const start = afterSpace(text, this.end);
    this.start = start;
    if (start >= text.length) {
      this.end = start;
      return false;
    }
    const code = text.charCodeAt(start);
    const kind = code < 128 ? classes[code] : nameStart;
    if (kind === nameStart) return this.#word(start, code);
    return kind === digit ? this.#number(start) : this.#sign(start, code);
  }

  #take(kind: number, end: number): true {
    this.kind = kind;
    this.end = end;
    return true;
  }

  #word(start: number, code: number): true {
    const text = this.#text;
    const following = text.charCodeAt(start + 1);
    if (following === quote) {
      const letter = code | 32;
      if (letter === 101) return this.#string(start + 1, tokens.escapeString);
      // The prefixes b, x and n.
      if (letter === 98 || letter === 120 || letter === 110) {
        return this.#string(start + 1, tokens.otherString);
      }
    }
    const isUnicode = (code | 32) === 117 && following === 38;
    if (isUnicode && text.charCodeAt(start + 2) === quote) {
      return this.#string(start + 2, tokens.otherString);
    }
    if (isUnicode && text.charCodeAt(start + 2) === doubleQuote) return this.#name(start + 2);
    return this.#take(tokens.word, endOfWord(text, start + 1));
  }

  #number(start: number): true {
    const text = this.#text;
    let kind: number = tokens.integer;
    let end = endOfDigits(text, start);
    // Two dots are those of a range.
    if (text.charCodeAt(end) === dot && text.charCodeAt(end + 1) !== dot) {
      kind = tokens.decimal;
      end = endOfDigits(text, end + 1);
    }
    const exponent = endOfExponent(text, end);
    if (exponent > end) {
      kind = tokens.decimal;
      end = exponent;
    }
    if (isNameCharacter(text.charCodeAt(end))) {
      return this.#take(tokens.malformed, endOfWord(text, end));
    }
    return this.#take(kind, end);
  }

  #sign(start: number, code: number): true {
    const text = this.#text;
    switch (code) {
      case quote:
        return this.#string(start, tokens.string);
      case doubleQuote:
        return this.#name(start);
      case dollar:
        return this.#dollar(start);
      case dot:
        if (isDigit(text.charCodeAt(start + 1))) return this.#number(start);
        break;
      case colon:
        if (text.charCodeAt(start + 1) === colon) return this.#take(tokens.cast, start + 2);
        break;
      case 40:
      case 91:
        return this.#take(tokens.open, start + 1);
      case 41:
      case 93:
        return this.#take(tokens.close, start + 1);
      case 44:
        return this.#take(tokens.comma, start + 1);
      case 59:
        return this.#take(tokens.semicolon, start + 1);
      case slash:
        // A comment that never ends.
        if (text.charCodeAt(start + 1) === star) return this.#take(tokens.malformed, text.length);
        break;
    }
    return this.#take(tokens.operator, start + 1);
  }

  /** `at` is the opening quote. */
  #string(at: number, kind: number): true {
    const text = this.#text;
    const end =
      kind === tokens.escapeString ? endOfEscaped(text, at + 1) : endOfQuoted(text, at + 1, "'");
    if (end < 0) return this.#take(tokens.malformed, text.length);
    const more = continuation(text, end);
    if (more < 0) return this.#take(kind, end);
    this.#string(more, kind);
    if (this.kind !== tokens.malformed) this.kind = tokens.otherString;
    return true;
  }

  #name(at: number): true {
    const end = endOfQuoted(this.#text, at + 1, '"');
    if (end < 0) return this.#take(tokens.malformed, this.#text.length);
    return this.#take(tokens.quotedName, end);
  }

  #dollar(start: number): true {
    const text = this.#text;
    if (isDigit(text.charCodeAt(start + 1))) {
      const end = endOfDigits(text, start + 1);
      const isJunk = isNameCharacter(text.charCodeAt(end));
      return this.#take(isJunk ? tokens.malformed : tokens.parameter, end);
    }
    const tag = dollarTag(text, start);
    if (tag === undefined) return this.#take(tokens.operator, start + 1);
    const end = text.indexOf(tag, start + tag.length);
    if (end < 0) return this.#take(tokens.malformed, text.length);
    return this.#take(tokens.dollarString, end + tag.length);
  }
}

/** Returns the tag that begins a string such as `$body$…$body$`; `undefined` if there is none at `start`. */
export function dollarTag(text: string, start: number): string | undefined {
  let end = start + 1;
  while (isNameCharacter(text.charCodeAt(end)) && text.charCodeAt(end) !== dollar) end++;
  return text.charCodeAt(end) === dollar ? text.slice(start, end + 1) : undefined;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Returns whether a character can be part of a name, other than a dollar sign. */
export function isNameCharacter(code: number): boolean {
  if (code >= 128) return true;
  return (classes[code] ?? 0) >= nameStart;
}

function endOfWord(text: string, from: number): number {
  let end = from;
  for (;;) {
    const code = text.charCodeAt(end);
    if (!isNameCharacter(code) && code !== dollar) return end;
    end++;
  }
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Returns the end of an exponent that begins at `from`, or `from` if there is none. */
function endOfExponent(text: string, from: number): number {
  if ((text.charCodeAt(from) | 32) !== 101) return from;
  const sign = text.charCodeAt(from + 1);
  const first = sign === 43 || sign === dash ? from + 2 : from + 1;
  return isDigit(text.charCodeAt(first)) ? endOfDigits(text, first) : from;
}

/** Returns the index after the closing quote, or -1. A doubled quote is a character. */
function endOfQuoted(text: string, from: number, mark: string): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf(mark, at);
    if (at < 0) return -1;
    if (text[at + 1] !== mark) return at + 1;
  }
}

function endOfEscaped(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) {
      if (text.charCodeAt(at + 1) !== quote) return at + 1;
      at++;
    }
  }
  return -1;
}

/** Returns the opening quote of the next piece of a string, or -1. A line break must be between the pieces. */
function continuation(text: string, from: number): number {
  let at = from;
  let hasBreak = false;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) hasBreak = true;
    else if (code === dash && text.charCodeAt(at + 1) === dash) at = lineEnd(text, at) - 1;
    else if (classes[code] !== blank) break;
  }
  return hasBreak && text.charCodeAt(at) === quote ? at : -1;
}

/** Returns the index of the first character that is neither space nor comment. */
function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 128 && classes[code] === blank) at++;
    else if (code === dash && text.charCodeAt(at + 1) === dash) at = lineEnd(text, at);
    else if (code === slash && text.charCodeAt(at + 1) === star) {
      const end = commentEnd(text, at);
      if (end < 0) return at;
      at = end;
    } else return at;
  }
  return at;
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return text.length;
}

/** Comments nest. Returns -1 if the comment does not end. */
function commentEnd(text: string, from: number): number {
  let depth = 1;
  for (let at = from + 2; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const following = text.charCodeAt(at + 1);
    if (code === star && following === slash) {
      depth--;
      at++;
      if (depth === 0) return at + 1;
    } else if (code === slash && following === star) {
      depth++;
      at++;
    }
  }
  return -1;
}
