/** The keys of one seed, in order, and places between them; and what the model keeps of a value. */

import { afterKey, compareBytes } from '#base';
import { keySpaces } from '#catalog';
import { type KeyRange, rowSpace } from '#storage';
import type { Dice } from './dice.ts';
import { anyPlots, type Plot } from './plots.ts';
import { numberOf } from './rows.ts';
import type { Swarm } from './swarm.ts';

/** Small numbers stand for keys: their place in the order. */
export class Keys {
  readonly all: readonly Uint8Array[];
  /** Parts of them that may be given up. */
  readonly plots: readonly Plot[];
  /** Nobody writes it but who gives up a plot; undefined without plots. */
  readonly catalog: number | undefined;
  /** They are keys of rows. */
  readonly holdsRows: boolean;

  constructor(all: Iterable<Uint8Array>, plots: number, dice: Dice, holdsRows = false) {
    this.holdsRows = holdsRows;
    this.all = [...all].sort(compareBytes);
    const any = plots === 0 ? undefined : anyPlots(this.all, plots, dice);
    this.plots = any?.plots ?? [];
    this.catalog = any?.catalog;
  }

  get count(): number {
    return this.all.length;
  }

  /** Stands for all keys of the corpus together, whose value is `corpusDigest`; behind all others. */
  get corpus(): number {
    return this.all.length;
  }

  /** The number that the model knows a key of the store by. */
  numberOf(key: Uint8Array): number {
    return isCorpusKey(key) ? this.corpus : this.lowerBound(key);
  }

  /** Those that are in no plot. */
  get lasting(): readonly Uint8Array[] {
    const isIn = (index: number) =>
      this.plots.some(({ first, end }) => index >= first && index < end);
    return this.all.filter((_, index) => !isIn(index));
  }

  at(index: number): Uint8Array {
    return this.all[index] as Uint8Array;
  }

  /** The first key that is not below `bound`. */
  lowerBound(bound: Uint8Array): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.all[middle] as Uint8Array, bound) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Keys of clients never begin like this one. */
export function isCorpusKey(key: Uint8Array, from = 0): boolean {
  return key[from] === keySpaces.corpus;
}

/** Whether keys of the corpus lie in the range. */
export function holdsCorpus({ from, to }: KeyRange): boolean {
  const corpus = Uint8Array.of(keySpaces.corpus);
  return compareBytes(from, corpus) <= 0 && (to === undefined || compareBytes(corpus, to) < 0);
}

/** Of keys and values in hexadecimal digits; undefined where there are none. */
export function corpusDigest(contents: ReadonlyMap<string, string>): string | undefined {
  if (contents.size === 0) return undefined;
  const lines = [...contents].map(([key, value]) => `${key}=${value}`).sort();
  return `${contents.size}:${Bun.hash(lines.join())}`;
}

/** Fixed strides, or short keys over few letters that are prefixes of each other; those of rows are in one of two tables. */
export function anyKeys(dice: Dice, { plots, holdsRows }: Swarm): Keys {
  const keys = plainKeys(dice);
  if (!holdsRows) return new Keys(keys, plots, dice);
  const inTables = [...keys].map((key, i) => Buffer.concat([tablePrefix(1 + (i & 1)), key]));
  return new Keys(inTables, plots, dice, true);
}

function tablePrefix(table: number): Uint8Array {
  return Uint8Array.of(rowSpace, 0, 0, 0, table);
}

function plainKeys(dice: Dice): Iterable<Uint8Array> {
  const count = dice.pick([6, 20, 60, 120]);
  const found = new Map<string, Uint8Array>();
  if (dice.chance(0.6)) {
    const width = dice.pick([2, 4, 12]);
    for (let i = 0; i < count; i++) {
      const key = Buffer.from(`k${String(i * 7).padStart(width, '0')}`);
      found.set(key.toString('latin1'), key);
    }
  } else {
    const letters = [0, 1, 0x61, 0xff];
    while (found.size < count) {
      const key = Buffer.from(Array.from({ length: 1 + dice.below(6) }, () => dice.pick(letters)));
      found.set(key.toString('latin1'), key);
    }
  }
  return found.values();
}

/** A bound of a range: a key, the place right behind one, or a prefix of one. */
export function anyBound(keys: Keys, dice: Dice): Uint8Array {
  const key = keys.at(dice.below(keys.count));
  const choice = dice.unit();
  if (choice < 0.6) return key;
  return choice < 0.8 ? afterKey(key) : key.subarray(0, dice.below(key.length + 1));
}

/** What is compared of a value: all of a short one, length and checksum of a long one; the number of a row. */
export function fingerprint(value: Uint8Array): string {
  const number = numberOf(value);
  if (number !== undefined) return `n=${number}:${value.length}:${Bun.hash.crc32(value)}`;
  if (value.length <= 24) return Buffer.from(value).toString('latin1');
  return `${value.length}:${Bun.hash.crc32(value)}`;
}
