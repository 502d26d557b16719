/**
 * Finds the rows of a run that may contain a text by searching the bytes of their block. One search covers the cells of all rows and
 * creates no strings.
 */

import { encodeUtf8 } from '#base';
import type { Column } from '#catalog';
import { type BlockSpan, columnEncodings, type StoredColumn } from '#storage';

/** Maximum length of the searched prefix. A search can take time proportional to the product of both lengths. */
const needleMax = 64;

export class TextSearch {
  private readonly column: Column;
  /** A prefix of the searched text. Every row that contains the text contains it. */
  private readonly needle: Uint8Array;

  /** Prepares a search for rows whose `column` contains `text`, which must not be empty. */
  constructor(column: Column, text: string) {
    this.column = column;
    this.needle = encodeUtf8(text).subarray(0, needleMax);
  }

  /**
   * Writes to `out` the positions in the run, ascending, of rows that may contain the text, and returns their number. No other row contains
   * it. Returns `undefined` if the run cannot be searched.
   */
  select({ block, from, to }: BlockSpan, out: Uint32Array): number | undefined {
    const stored = block.values.column?.(this.column.physicalId);
    if (stored === undefined || stored.absentAt !== 0) return undefined;
    switch (stored.encoding) {
      case columnEncodings.narrowEnds:
      case columnEncodings.wideEnds:
        return this.selectCells(stored, from, to, out);
      case columnEncodings.dictionary:
        return this.selectCodes(stored, from, to, out);
      case columnEncodings.constant:
        return this.holds(stored.bytes, stored.dataAt, stored.dataAt + stored.auxiliaryAt)
          ? undefined
          : 0;
      default:
        return undefined;
    }
  }

  /** Searches the cells. If a match extends beyond the end of its cell, neither it nor a later match in that cell counts. */
  private selectCells(stored: StoredColumn, from: number, to: number, out: Uint32Array): number {
    const { needle } = this;
    const start = stored.cellFrom(from);
    const area = bytesOf(stored.bytes, start, stored.cellTo(to - 1));
    let count = 0;
    let slot = from;
    let hit = area.indexOf(needle);
    while (hit >= 0) {
      slot = slotAt(stored, start + hit, slot, to);
      const end = stored.cellTo(slot) - start;
      if (hit + needle.length <= end) out[count++] = slot - from;
      hit = area.indexOf(needle, end);
    }
    return count;
  }

  private selectCodes(stored: StoredColumn, from: number, to: number, out: Uint32Array): number {
    const { bytes, dataAt } = stored;
    const isHit = this.codesWithText(stored);
    let count = 0;
    for (let slot = from; slot < to; slot++) {
      out[count] = slot - from;
      count = (count + (isHit[bytes[dataAt + slot] as number] as number)) | 0;
    }
    return count;
  }

  /** Returns 1 for each code whose entry contains the text. Entries are stored one after the other, like cells. */
  private codesWithText(stored: StoredColumn): Uint8Array {
    const { needle } = this;
    const isHit = new Uint8Array(256);
    const start = stored.entryFrom(0);
    const area = bytesOf(stored.bytes, start, stored.entryTo(stored.entryCount - 1));
    let code = 0;
    for (let hit = area.indexOf(needle); hit >= 0; ) {
      while (stored.entryTo(code) - start <= hit) code++;
      const end = stored.entryTo(code) - start;
      if (hit + needle.length <= end) isHit[code] = 1;
      hit = area.indexOf(needle, end);
    }
    return isHit;
  }

  private holds(bytes: Uint8Array, from: number, to: number): boolean {
    return bytesOf(bytes, from, to).includes(this.needle);
  }
}

/** Returns the slot in [from, to) whose cell contains the byte at `at`. */
function slotAt(stored: StoredColumn, at: number, from: number, to: number): number {
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stored.cellTo(middle) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bytesOf(bytes: Uint8Array, from: number, to: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
}
