/** Rows of strings and nulls that are left in the text they came in: where each cell lies, and nothing made of it until somebody knows its type. */

import { blankEnd, plainStringEnd } from './scan.ts';

const quote = 0x22;
const comma = 0x2c;
const opening = 0x5b;
const closing = 0x5d;

/** What is read in one go, in characters; no row is longer. */
const stretchLength = 32 * 1024;
/** Cells that there is room for at the start: a text may have as many beginnings of rows as it has room for. */
const startCells = 64;
/** From here on room is made for as many as the rest of the text will have, if they go on like this. */
const foreseenCells = 4096;
const nullLength = 4;

/** Where the characters of a cell begin and end in the text. NULL begins at 0, where a bracket stands in every text that has rows. */
const wordsOfCell = 2;

/** As many cells in each row. No cell has an escape, a control character, or half of a pair. */
export class TextRows {
  readonly length: number;
  /** Cells of each row. */
  readonly width: number;
  readonly text: string;
  /** Of each cell, row by row: where its characters begin, 0 for NULL, and where they end. */
  readonly places: Uint32Array;

  constructor(text: string, places: Uint32Array, length: number, width: number) {
    this.text = text;
    this.places = places;
    this.length = length;
    this.width = width;
  }

  /** Undefined where there is none. */
  cell(row: number, column: number): string | null | undefined {
    if (row >= this.length || column >= this.width) return undefined;
    const at = (row * this.width + column) * wordsOfCell;
    const from = this.places[at] as number;
    return from === 0 ? null : this.text.slice(from, this.places[at + 1]);
  }

  /** The cells as JSON.parse gives them. */
  row(at: number): (string | null)[] {
    return Array.from(
      { length: this.width },
      (_, column) => this.cell(at, column) as string | null,
    );
  }
}

/** Reads an array of rows in stretches. */
export class TextRowsReader {
  /** Where the array begins, and, once it is read, where it ends: its brackets. */
  readonly from: number;
  to = -1;
  private readonly text: string;
  private at: number;
  private places = new Uint32Array(startCells * wordsOfCell);
  private count = 0;
  private width = 0;
  private cells = 0;

  /** `text` is well-formed Unicode, and has an opening bracket at `from`. */
  constructor(text: string, from: number) {
    this.text = text;
    this.from = from;
    this.at = blankEnd(text, from + 1);
  }

  /** The next stretch: the rows at their end, undefined when there are more, null when they are something else, which may be right or wrong. */
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

  /** Takes up the cells of a row; where it has ended, or -1. */
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

  /** All cells up to about `to` have been read. */
  private grow(to: number): void {
    const { cells, text, from } = this;
    const share = to > from ? (text.length - from) / (to - from) : 2;
    const room = Math.max(2 * cells, cells < foreseenCells ? 0 : Math.ceil(cells * share));
    const grown = new Uint32Array(room * wordsOfCell);
    grown.set(this.places);
    this.places = grown;
  }
}
