/** Collects the distinct cells of a column if there are few. */

import { equalRanges } from '#base';
import { type ColumnCells, cellStates } from './body-rows.ts';

const entriesMax = 255;
const slots = 1024;

export class Dictionary {
  /** Code of each slot; 0 if the slot has no value. */
  codes = new Uint8Array(1024);
  /** Slot of the first cell of each entry. */
  readonly firsts: number[] = [];
  /** Total bytes of the distinct entries. */
  entryBytes = 0;
  cellBytes = 0;
  private readonly table = new Int16Array(slots);

  /** Collects the distinct cells. Returns false if a dictionary would not save space. */
  fill({ bytes, from, to, states, count }: ColumnCells): boolean {
    const { table, firsts } = this;
    if (this.codes.length < count) this.codes = new Uint8Array(count);
    this.codes.fill(0, 0, count);
    table.fill(0);
    firsts.length = 0;
    this.entryBytes = 0;
    this.cellBytes = 0;
    let seen = 0;
    for (let slot = 0; slot < count; slot++) {
      if (states[slot] !== cellStates.value) continue;
      const start = from[slot] as number;
      const end = to[slot] as number;
      let at = hashOf(bytes, start, end) & (slots - 1);
      let code = -1;
      for (; table[at] !== 0; at = (at + 1) & (slots - 1)) {
        const known = (table[at] as number) - 1;
        const first = firsts[known] as number;
        if (equalRanges(bytes, from[first] as number, to[first] as number, start, end)) {
          code = known;
          break;
        }
      }
      seen++;
      this.cellBytes += end - start;
      if (code < 0) {
        if (firsts.length === entriesMax) return false;
        code = firsts.push(slot) - 1;
        table[at] = code + 1;
        this.entryBytes += end - start;
      }
      this.codes[slot] = code;
    }
    // With a dictionary, a cell costs a code and an entry costs an end. Without one, each cell costs an end.
    return seen + this.entryBytes + 4 * firsts.length < this.cellBytes + 2 * seen;
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 ^ (to - from);
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
