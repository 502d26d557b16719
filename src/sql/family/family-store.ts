/** The families that the cache holds, within a limit of estimated bytes. The families that were not used lately go first. */

import type { SqlStatement } from '../statement.ts';

export interface Family<Value> {
  readonly text: string;
  /** The statement, if it is not compiled. */
  readonly command: Exclude<SqlStatement, { kind: 'program' }> | undefined;
  /** Whether the statements of the family are compiled with their literals, because the family cannot be compiled. */
  readonly isWhole: boolean;
  readonly entries: readonly Entry<Value>[];
}

/** A compiled statement. */
interface Entry<Value> {
  readonly key: string;
  /** The literals whose values the compiler used. */
  readonly pinned: readonly { readonly index: number; readonly text: string | undefined }[];
  readonly value: Value;
}

interface StoredFamily<Value> extends Family<Value> {
  entries: readonly Entry<Value>[];
  isUsed: boolean;
}

const familyBytes = 256;
const entryBytes = 4096;
/** Estimated bytes of a compiled statement per character of its text. */
const bytesPerCharacter = 24;
const entriesMax = 16;

export class FamilyStore<Value> {
  readonly #bytesMax: number;
  readonly #families = new Map<string, StoredFamily<Value>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(text: string): Family<Value> | undefined {
    const family = this.#families.get(text);
    if (family !== undefined) family.isUsed = true;
    return family;
  }

  /** Replaces a family of the same text. */
  add(text: string, what: Partial<Pick<Family<Value>, 'command' | 'isWhole'>>): Family<Value> {
    const former = this.#families.get(text);
    if (former !== undefined) this.#delete(former);
    const { command, isWhole = false } = what;
    const family: StoredFamily<Value> = { text, command, isWhole, entries: [], isUsed: false };
    this.#families.set(text, family);
    this.#bytes += bytesOf(family);
    this.#evict();
    return family;
  }

  /** A family has a limited number of entries, of which the oldest goes first. */
  addEntry(family: Family<Value>, entry: Entry<Value>): void {
    this.#replaceEntries(family, [...family.entries.slice(1 - entriesMax), entry]);
    this.#evict();
  }

  deleteEntry(family: Family<Value>, entry: Entry<Value>): void {
    this.#replaceEntries(
      family,
      family.entries.filter((one) => one !== entry),
    );
  }

  #replaceEntries({ text }: Family<Value>, entries: readonly Entry<Value>[]): void {
    const family = this.#families.get(text);
    if (family === undefined) return;
    this.#bytes -= bytesOf(family);
    family.entries = entries;
    this.#bytes += bytesOf(family);
  }

  #delete(family: StoredFamily<Value>): void {
    this.#families.delete(family.text);
    this.#bytes -= bytesOf(family);
  }

  #evict(): void {
    for (const family of this.#families.values()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#delete(family);
      if (!family.isUsed) continue;
      // A family that was used since the last round gets another one, at the end of the order.
      family.isUsed = false;
      this.#families.set(family.text, family);
      this.#bytes += bytesOf(family);
    }
  }
}

function bytesOf({ text, entries }: Family<unknown>): number {
  return (
    familyBytes + 2 * text.length + entries.length * (entryBytes + bytesPerCharacter * text.length)
  );
}
