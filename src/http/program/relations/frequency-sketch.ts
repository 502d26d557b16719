/**
 * Estimates how often a key was requested recently: a count-min sketch (Cormode and Muthukrishnan) whose counts are
 * halved periodically. Apart from the halving, an estimate is never too low.
 */

import { finishHash, mixWord } from '#base';

const rows = 4;
/** Maximum count of one cell. */
const countMax = 15;
const widthMin = 1024;
/** Cells per row for each key that must be distinguished from keys that occur once. */
const cellsEach = 16;

export class FrequencySketch {
  private readonly cells: Uint8Array;
  private readonly width: number;
  private readonly halveAfter: number;
  private added = 0;

  /** Creates a sketch that can distinguish this many keys. */
  constructor(things: number) {
    this.width = 2 ** Math.ceil(Math.log2(Math.max(widthMin, cellsEach * things)));
    this.cells = new Uint8Array(rows * this.width);
    // Halving forgets keys that occurred once. Until then at most half of the cells are hit, and about one new key in
    // forty seems to have occurred before.
    this.halveAfter = this.width / 2;
  }

  /** Counts a key and returns its estimated count, including this call. `hash` has 32 bits. */
  add(hash: number): number {
    if (++this.added >= this.halveAfter) this.halve();
    let least = countMax;
    for (let row = 0; row < rows; row++) {
      const at = this.cellOf(row, hash);
      const count = Math.min(countMax, (this.cells[at] as number) + 1);
      this.cells[at] = count;
      if (count < least) least = count;
    }
    return least;
  }

  countOf(hash: number): number {
    let least = countMax;
    for (let row = 0; row < rows; row++) {
      least = Math.min(least, this.cells[this.cellOf(row, hash)] as number);
    }
    return least;
  }

  private cellOf(row: number, hash: number): number {
    return row * this.width + (finishHash(mixWord(row + 1, hash)) & (this.width - 1));
  }

  private halve(): void {
    this.added = 0;
    for (let i = 0; i < this.cells.length; i++) this.cells[i] = (this.cells[i] as number) >>> 1;
  }
}
