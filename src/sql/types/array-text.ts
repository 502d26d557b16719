/** Texts of arrays, such as `{1,NULL,"a b"}`. */

import { sqlError, unsupported } from '../sql-error.ts';

/** A list of elements, each a value, NULL or a list of the next dimension. */
export type ArrayOf<Item> = readonly (Item | null | ArrayOf<Item>)[];

const dimensionsMax = 6;

/** Reads an array. `readElement` receives the text of each element that is not NULL. */
export function readArray<Item>(text: string, readElement: (text: string) => Item): ArrayOf<Item> {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    throw unsupported('an array with bounds', { hint: 'Write the elements in braces only.' });
  }
  const reader = new ArrayReader(trimmed, text, readElement);
  return reader.read();
}

class ArrayReader<Item> {
  #at = 0;
  /** The depth of the elements, as the first one shows it. */
  #depth = -1;
  readonly #text: string;
  readonly #original: string;
  readonly #readElement: (text: string) => Item;

  constructor(text: string, original: string, readElement: (text: string) => Item) {
    this.#text = text;
    this.#original = original;
    this.#readElement = readElement;
  }

  read(): ArrayOf<Item> {
    if (this.#text[0] !== '{') {
      throw this.#malformed('Array value must start with "{" or dimension information.');
    }
    const items = this.#list(1);
    if (this.#at < this.#text.length) throw this.#malformed('Junk after closing right brace.');
    return items;
  }

  #list(depth: number): ArrayOf<Item> {
    if (depth > dimensionsMax) {
      throw sqlError(
        '54000',
        `number of array dimensions (${depth}) exceeds the maximum allowed (${dimensionsMax})`,
      );
    }
    this.#at++;
    this.#skipSpace();
    const items: (Item | null | ArrayOf<Item>)[] = [];
    if (this.#text[this.#at] === '}' && depth === 1) {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.#item(depth));
      this.#skipSpace();
      const next = this.#text[this.#at];
      this.#at++;
      if (next === '}') break;
      if (next === undefined) throw this.#malformed('Unexpected end of input.');
      if (next !== ',') throw this.#malformed(`Unexpected "${next}" character.`);
    }
    this.#requireEven(items);
    return items;
  }

  #item(depth: number): Item | null | ArrayOf<Item> {
    this.#skipSpace();
    if (this.#text[this.#at] === '{') return this.#list(depth + 1);
    if (this.#depth === -1) this.#depth = depth;
    if (this.#depth !== depth) throw this.#uneven();
    return this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
  }

  #quoted(): Item {
    let item = '';
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at++;
      const character = this.#text[this.#at];
      if (character === undefined) throw this.#malformed('Unexpected end of input.');
      item += character;
    }
    this.#at++;
    return this.#readElement(item);
  }

  #plain(): Item | null {
    let item = '';
    let end = 0;
    for (; ; this.#at++) {
      let character = this.#text[this.#at];
      if (character === undefined) throw this.#malformed('Unexpected end of input.');
      if (character === ',' || character === '}') break;
      if (character === '{' || character === '"') {
        throw this.#malformed(
          character === '"' ? 'Unexpected array element.' : 'Unexpected "{" character.',
        );
      }
      const isEscaped = character === '\\';
      if (isEscaped) {
        this.#at++;
        character = this.#text[this.#at];
        if (character === undefined) throw this.#malformed('Unexpected end of input.');
      }
      item += character;
      if (isEscaped || !isSpace(character)) end = item.length;
    }
    item = item.slice(0, end);
    if (item === '') {
      throw this.#malformed(`Unexpected "${this.#text[this.#at]}" character.`);
    }
    return item.toLowerCase() === 'null' ? null : this.#readElement(item);
  }

  #requireEven(items: ArrayOf<Item>): void {
    const [first] = items;
    for (const item of items) {
      const isSame =
        Array.isArray(first) && Array.isArray(item)
          ? first.length === item.length
          : Array.isArray(first) === Array.isArray(item);
      if (!isSame) throw this.#uneven();
    }
  }

  #skipSpace(): void {
    while (isSpace(this.#text[this.#at] ?? '')) this.#at++;
  }

  #uneven() {
    return this.#malformed(
      'Multidimensional arrays must have sub-arrays with matching dimensions.',
    );
  }

  #malformed(detail: string) {
    return sqlError('22P02', `malformed array literal: "${this.#original}"`, { detail });
  }
}

/** Writes an array. `writeElement` returns the text of an element, which is quoted where necessary. */
export function writeArray<Item>(
  items: ArrayOf<Item>,
  writeElement: (item: Item) => string,
): string {
  const parts = items.map((item) => {
    if (item === null) return 'NULL';
    if (Array.isArray(item)) return writeArray(item as ArrayOf<Item>, writeElement);
    return quoted(writeElement(item as Item));
  });
  return `{${parts.join(',')}}`;
}

const needsQuotes = /^$|^null$|[\s",\\{}]/i;

function quoted(text: string): string {
  return needsQuotes.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

function isSpace(character: string): boolean {
  return character === ' ' || (character >= '\t' && character <= '\r');
}
