/** About how often something was asked for lately: a count-min sketch (Cormode and Muthukrishnan), halved as time goes on. Never too low but for that. */

import { finishHash, mixWord } from '#base';

const rows = 4;
/** Of one cell. */
const countMax = 15;
const widthMin = 1024;
/** Cells of a row for each thing that is to be told apart from what comes once. */
const cellsEach = 16;

export class FrequencySketch {
  private readonly cells: Uint8Array;
  private readonly width: number;
  private readonly halveAfter: number;
  private added = 0;

  /** For so many things that are told apart. */
  constructor(things: number) {
    this.width = 2 ** Math.ceil(Math.log2(Math.max(widthMin, cellsEach * things)));
    this.cells = new Uint8Array(rows * this.width);
    // What came once is forgotten then. Until then half of the cells are hit, and of things that come for the first time one in forty seems to be known.
    this.halveAfter = this.width / 2;
  }

  /** `hash` has 32 bits. How often it was there by now, this time counted. */
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
