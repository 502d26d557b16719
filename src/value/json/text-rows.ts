/**
 * Rows of strings and nulls that remain in the JSON text. Only the positions of the cells are stored; values are created once their type is
 * known.
 */

import { blankEnd, plainStringEnd } from './scan.ts';

const quote = 0x22;
const comma = 0x2c;
const opening = 0x5b;
const closing = 0x5d;

/** Characters read in one step; also the maximum length of a row. */
const stretchLength = 32 * 1024;
/** Initial capacity in cells. The capacity is small because a text can contain very many starts of rows. */
const startCells = 64;
/** From this number of cells on, the capacity is extrapolated to the rest of the text. */
const foreseenCells = 4096;
const nullLength = 4;

/** Start and end of the characters of a cell. For NULL the start is 0, which is never the start of a cell because a bracket precedes it. */
const wordsOfCell = 2;

/** Rows of equal width. No cell contains an escape, a control character or a lone surrogate. */
export class TextRows {
  readonly length: number;
  /** Number of cells in each row. */
  readonly width: number;
  readonly text: string;
  /** Start and end of the characters of each cell, row by row; the start is 0 for NULL. */
  readonly places: Uint32Array;

  constructor(text: string, places: Uint32Array, length: number, width: number) {
    this.text = text;
    this.places = places;
    this.length = length;
    this.width = width;
  }

  /** Returns the cell; `null` for NULL, and `undefined` if there is no such cell. */
  cell(row: number, column: number): string | null | undefined {
    if (row >= this.length || column >= this.width) return undefined;
    const at = (row * this.width + column) * wordsOfCell;
    const from = this.places[at] as number;
    return from === 0 ? null : this.text.slice(from, this.places[at + 1]);
  }

  /** Returns the cells as JSON.parse would. */
  row(at: number): (string | null)[] {
    return Array.from(
      { length: this.width },
      (_, column) => this.cell(at, column) as string | null,
    );
  }
}

/** Reads an array of rows in steps. */
export class TextRowsReader {
  /** Offset of the opening bracket, and, once the array is read, of the closing bracket. */
  readonly from: number;
  to = -1;
  private readonly text: string;
  private at: number;
  private places = new Uint32Array(startCells * wordsOfCell);
  private count = 0;
  private width = 0;
  private cells = 0;

  /** `text` must be well-formed Unicode with an opening bracket at `from`. */
  constructor(text: string, from: number) {
    this.text = text;
    this.from = from;
    this.at = blankEnd(text, from + 1);
  }

  /**
   * Reads the next step. Returns all rows after the last step; `undefined` if there are more; `null` if the array has another form, valid
   * or not.
   */
  next(): TextRows | undefined | null {
    const { text } = this;
    const stop = this.at + stretchLength;
    for (let at = this.at; ; ) {
      if (text.charCodeAt(at) !== opening) return null;
      at = this.row(at + 1);
      if (at < 0) return null;
      at = blankEnd(text, at);
      const unit = text.charCodeAt(at);
      if (unit === closing) return this.end(at);
      if (unit !== comma) return null;
      at = blankEnd(text, at + 1);
      if (at < stop) continue;
      this.at = at;
      return undefined;
    }
  }

  private end(at: number): TextRows {
    this.to = at;
    const places = this.places.subarray(0, this.cells * wordsOfCell);
    return new TextRows(this.text, places, this.count, this.width);
  }

  /** Reads the cells of a row and returns its end; -1 if it has another form. */
  private row(from: number): number {
    const { text } = this;
    const first = this.cells;
    const stop = from + stretchLength;
    for (let at = blankEnd(text, from); at < stop; at = blankEnd(text, at + 1)) {
      if (text.charCodeAt(at) === quote) {
        const end = plainStringEnd(text, at + 1, stop);
        if (end < 0) return -1;
        this.add(at + 1, end);
        at = end + 1;
      } else if (text.startsWith('null', at)) {
        this.add(0, 0);
        at += nullLength;
      } else return -1;
      at = blankEnd(text, at);
      const unit = text.charCodeAt(at);
      if (unit === closing) return this.isFit(this.cells - first) ? at + 1 : -1;
      if (unit !== comma) return -1;
    }
    return -1;
  }

  private isFit(width: number): boolean {
    if (this.count++ === 0) this.width = width;
    return width === this.width;
  }

  private add(from: number, to: number): void {
    const at = this.cells++ * wordsOfCell;
    if (at === this.places.length) this.grow(to);
    this.places[at] = from;
    this.places[at + 1] = to;
  }

  /** Grows the capacity. All cells up to approximately `to` have been read. */
  private grow(to: number): void {
    const { cells, text, from } = this;
    const share = to > from ? (text.length - from) / (to - from) : 2;
    const room = Math.max(2 * cells, cells < foreseenCells ? 0 : Math.ceil(cells * share));
    const grown = new Uint32Array(room * wordsOfCell);
    grown.set(this.places);
    this.places = grown;
  }
}
