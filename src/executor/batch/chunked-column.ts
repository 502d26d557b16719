/**
 * A column of any length, in pieces. An array that grows by appending is copied each time, and copying millions of values blocks the thread for a
 * tenth of a second and more.
 */

import type { Datum } from '#value';
import type { Datums } from './vector.ts';

export const pieceBits = 15;
/** Number of values of a piece. */
export const pieceLength = 2 ** pieceBits;
export const pieceMask = pieceLength - 1;

/** At least one piece; all but the last one are full. The value of row `i` is `pieces[i >>> pieceBits][i & pieceMask]`. */
export type ChunkedColumn<T = Datum> = T[][];

/** Returns a piece that can take another value. */
export function openPiece<T>(pieces: ChunkedColumn<T>): T[] {
  const last = pieces[pieces.length - 1] as T[];
  if (last.length < pieceLength) return last;
  const fresh: T[] = [];
  pieces.push(fresh);
  return fresh;
}

export function lengthOfPieces<T>(pieces: ChunkedColumn<T>): number {
  return (pieces.length - 1) * pieceLength + (pieces[pieces.length - 1] as T[]).length;
}

export function valueAt<T>(pieces: ChunkedColumn<T>, at: number): T {
  return (pieces[at >>> pieceBits] as T[])[at & pieceMask] as T;
}

export function setValue<T>(pieces: ChunkedColumn<T>, at: number, value: T): void {
  (pieces[at >>> pieceBits] as T[])[at & pieceMask] = value;
}

/** Returns the values [from, to) as a new array. */
export function sliceOfPieces(pieces: ChunkedColumn, from: number, to: number): Datums {
  const at = from >>> pieceBits;
  const start = from & pieceMask;
  const end = start + to - from;
  const piece = pieces[at] as Datums;
  if (end <= pieceLength) return piece.slice(start, end);
  return [...piece.slice(start), ...sliceOfPieces(pieces, (at + 1) << pieceBits, to)];
}

/** Returns `values[order[from]]` … `values[order[to - 1]]`. */
export function gatherOfPieces(
  pieces: ChunkedColumn,
  order: Uint32Array,
  from: number,
  to: number,
): Datums {
  const out: Datums = new Array(to - from);
  for (let i = from; i < to; i++) {
    const row = order[i] as number;
    out[i - from] = (pieces[row >>> pieceBits] as Datums)[row & pieceMask] as Datum;
  }
  return out;
}
