/** A list of any length that grows by appending, in pieces: a single array is copied whole each time it exceeds its capacity. */

import { type ChunkedColumn, openPiece, valueAt } from './chunked-column.ts';

/** The readable part of a list, stored in one array or in pieces. */
export interface Sequence<T> {
  readonly length: number;
  /** Returns undefined beyond the end. */
  at(index: number): T | undefined;
  /** Returns the items [from, to) as a new array. */
  slice(from: number, to: number): T[];
}

export class LongList<T> implements Sequence<T> {
  length = 0;
  private readonly pieces: ChunkedColumn<T> = [[]];

  push(item: T): void {
    openPiece(this.pieces).push(item);
    this.length++;
  }

  at(index: number): T | undefined {
    return index < this.length ? valueAt(this.pieces, index) : undefined;
  }

  slice(from: number, to: number): T[] {
    const items: T[] = [];
    for (let i = from; i < Math.min(to, this.length); i++) items.push(valueAt(this.pieces, i));
    return items;
  }
}
