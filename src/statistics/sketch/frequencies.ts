/** Approximate frequencies of many names: a count-min sketch (Cormode and Muthukrishnan). A count can be too high because of other names, but never too low. */

import { finishHash, mixWord } from '#base';

const rows = 4;

/** The hashes of a name, which select one cell in each row. */
export type Lanes = readonly [number, number, number, number];

/** Returns the four words of a fingerprint that ends with 32 hex digits, or four hashes of any other text. */
export function lanesOf(fingerprint: string): Lanes {
  const digest = /[0-9a-f]{32}$/.exec(fingerprint)?.[0];
  const lane = (row: number) =>
    digest === undefined
      ? hashOfText(fingerprint, row)
      : Number.parseInt(digest.slice(8 * row, 8 * row + 8), 16);
  return [lane(0), lane(1), lane(2), lane(3)];
}

export class Frequencies {
  private readonly width: number;
  private readonly cells: Uint32Array;

  /** `names` is the approximate number of names. */
  constructor(names: number) {
    this.width = 2 ** Math.ceil(Math.log2(Math.max(64, 4 * names)));
    this.cells = new Uint32Array(rows * this.width);
  }

  add(lanes: Lanes, times = 1): void {
    const { cells, width } = this;
    for (let row = 0; row < rows; row++) {
      const at = row * width + ((lanes[row] as number) & (width - 1));
      const count = cells[at] as number;
      cells[at] = Math.min(0xffff_ffff, count + times);
    }
  }

  of(lanes: Lanes): number {
    const { cells, width } = this;
    let least = Infinity;
    for (let row = 0; row < rows; row++) {
      least = Math.min(
        least,
        cells[row * width + ((lanes[row] as number) & (width - 1))] as number,
      );
    }
    return least;
  }

  halve(): void {
    const { cells } = this;
    for (let at = 0; at < cells.length; at++) cells[at] = (cells[at] as number) >>> 1;
  }
}

function hashOfText(text: string, seed: number): number {
  let state = mixWord(0x9747b28c, seed);
  for (let i = 0; i < text.length; i++) state = mixWord(state, text.charCodeAt(i));
  return finishHash(state) >>> 0;
}
