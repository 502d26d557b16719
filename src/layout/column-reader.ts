/**
 * Converts columns of a block to values, with one loop per column and run. A column of numbers without NULL becomes an array of numbers.
 */

import { ByteWriter } from '#base';
import type { Column } from '#catalog';
import { columnEncodings, readInt64, type StoredColumn } from '#storage';
import type { Scalar } from '#value';
import { cellValue, readFloat64, readText } from './cell-code.ts';
import { storedValue } from './stored-value.ts';

/**
 * Values by position in the run. A Float64Array contains no NULL, and its int64 values are exact. Valid until the next read of the reader;
 * must not be modified.
 */
export type ColumnVector = Scalar[] | Float64Array;

/** The codes of a dictionary by row. `numbers` are below `count`. Equal `identity` means equal entries. */
export interface DictionaryCodes {
  readonly identity: object;
  readonly numbers: Uint8Array;
  readonly count: number;
}

/** The positions of the needed rows of a run: the first `count` elements of `positions`, ascending. */
export interface Picked {
  readonly positions: Uint32Array;
  readonly count: number;
}

/** Shared buffer, which is safe because reading never waits. */
const cell = new ByteWriter(256);

export class ColumnReader {
  private readonly column: Column;
  private numbers = new Float64Array(0);

  constructor(column: Column) {
    this.column = column;
  }

  /**
   * Returns the values of the slots [from, to) of `stored`, the column of a block. With `picked`, values at other positions are arbitrary.
   */
  read(stored: StoredColumn, from: number, to: number, picked?: Picked): ColumnVector {
    if (picked !== undefined) return this.pickedValues(stored, from, to, picked);
    if (stored.nullsAt === 0 && stored.absentAt === 0) return this.values(stored, from, to);
    const { missing } = this.column;
    const values: Scalar[] = Array.from(this.values(stored, from, to));
    for (let slot = from; slot < to; slot++) {
      if (stored.isAbsent(slot)) values[slot - from] = missing;
      else if (stored.isNull(slot)) values[slot - from] = null;
    }
    return values;
  }

  /**
   * Returns the dictionary codes of the texts in the slots [from, to). Returns `undefined` if the block has no dictionary for the column,
   * or if a slot has no text.
   */
  dictionary(stored: StoredColumn, from: number, to: number): DictionaryCodes | undefined {
    if (this.column.type !== 'text' || stored.encoding !== columnEncodings.dictionary) {
      return undefined;
    }
    if (stored.nullsAt !== 0 || stored.absentAt !== 0) return undefined;
    const { bytes, dataAt, entryCount } = stored;
    const numbers = bytes.subarray(dataAt + from, dataAt + to);
    return { identity: this.entriesOf(stored), numbers, count: entryCount };
  }

  /** Returns the values of a column. The values of slots without a value are arbitrary. */
  private values(stored: StoredColumn, from: number, to: number): ColumnVector {
    switch (this.column.type) {
      case 'int64':
        return this.ints(stored, from, to) ?? this.cells(stored, from, to);
      case 'float64':
        return this.floats(stored, from, to) ?? this.cells(stored, from, to);
      case 'text':
        return this.texts(stored, from, to) ?? this.cells(stored, from, to);
      default:
        return this.cells(stored, from, to);
    }
  }

  private ints(stored: StoredColumn, from: number, to: number): ColumnVector | undefined {
    const { bytes, dataAt, base } = stored;
    const count = to - from;
    const out = this.room(count);
    switch (stored.encoding) {
      case columnEncodings.offset8:
        for (let i = 0, at = dataAt + from; i < count; i++) {
          out[i] = base + (bytes[at + i] as number);
        }
        return out;
      case columnEncodings.offset16: {
        const offsets = uint16At(bytes, dataAt + 2 * from, count);
        for (let i = 0; i < count; i++) out[i] = base + (offsets[i] as number);
        return out;
      }
      case columnEncodings.offset32: {
        const offsets = uint32At(bytes, dataAt + 4 * from, count);
        for (let i = 0; i < count; i++) out[i] = base + (offsets[i] as number);
        return out;
      }
      case columnEncodings.eight:
      case columnEncodings.int64: {
        const halves = uint32At(bytes, dataAt + 8 * from, 2 * count);
        let isExact = true;
        for (let i = 0; i < count; i++) {
          const low = halves[2 * i] as number;
          const value = ((halves[2 * i + 1] as number) | 0) * 0x1_0000_0000 + low;
          isExact &&= Number.isSafeInteger(value);
          out[i] = value;
        }
        return isExact ? out : undefined;
      }
      case columnEncodings.constant: {
        const value = readInt64(bytes, dataAt, dataAt + stored.auxiliaryAt);
        return typeof value === 'number' ? out.fill(value) : undefined;
      }
      case columnEncodings.dictionary: {
        const entries = this.entriesOf(stored);
        for (let i = 0, at = dataAt + from; i < count; i++) {
          out[i] = entries[bytes[at + i] as number] as number;
        }
        // A Float64Array cannot contain a bigint, so a dictionary with one is read cell by cell.
        return entries.every((entry) => typeof entry === 'number') ? out : undefined;
      }
      default:
        return undefined;
    }
  }

  private floats(stored: StoredColumn, from: number, to: number): ColumnVector | undefined {
    const { bytes, dataAt, encoding } = stored;
    const count = to - from;
    if (encoding === columnEncodings.eight) {
      return float64At(bytes, dataAt + 8 * from, count);
    }
    if (encoding !== columnEncodings.constant || stored.auxiliaryAt !== 8) return undefined;
    return this.room(count).fill(readFloat64(bytes, dataAt));
  }

  private texts(stored: StoredColumn, from: number, to: number): ColumnVector | undefined {
    const { bytes, dataAt, encoding, isAscii } = stored;
    const out: Scalar[] = [];
    if (encoding === columnEncodings.dictionary) {
      const entries = this.entriesOf(stored);
      for (let slot = from; slot < to; slot++) {
        out.push(entries[bytes[dataAt + slot] as number] as Scalar);
      }
      return out;
    }
    if (encoding !== columnEncodings.narrowEnds && encoding !== columnEncodings.wideEnds) {
      return undefined;
    }
    let start = stored.cellFrom(from);
    for (let slot = from; slot < to; slot++) {
      const end = stored.cellTo(slot);
      out.push(readText(bytes, start, end, isAscii));
      start = end;
    }
    return out;
  }

  private pickedValues(
    stored: StoredColumn,
    from: number,
    to: number,
    picked: Picked,
  ): ColumnVector {
    const hasGaps = stored.nullsAt !== 0 || stored.absentAt !== 0;
    if (!hasGaps) {
      const numbers = this.pickedNumbers(stored, from, to, picked);
      if (numbers !== undefined) return numbers;
      if (stored.encoding === columnEncodings.dictionary) this.entriesOf(stored);
    }
    const { column } = this;
    const { positions, count } = picked;
    const out: Scalar[] = new Array(to - from);
    for (let i = 0; i < count; i++) {
      const at = positions[i] as number;
      const slot = from + at;
      if (hasGaps && stored.isAbsent(slot)) out[at] = column.missing;
      else if (hasGaps && stored.isNull(slot)) out[at] = null;
      else out[at] = storedValue(column, stored, slot);
    }
    return out;
  }

  /** Returns the values of a column of numbers of equal width; `undefined` for other columns. */
  private pickedNumbers(
    stored: StoredColumn,
    from: number,
    to: number,
    { positions, count }: Picked,
  ): ColumnVector | undefined {
    const { bytes, dataAt, base, encoding } = stored;
    if (this.column.type === 'float64') return this.floats(stored, from, to);
    if (this.column.type !== 'int64') return undefined;
    switch (encoding) {
      case columnEncodings.offset8: {
        const out = this.room(to - from);
        for (let i = 0; i < count; i++) {
          const at = positions[i] as number;
          out[at] = base + (bytes[dataAt + from + at] as number);
        }
        return out;
      }
      case columnEncodings.offset16: {
        const out = this.room(to - from);
        const offsets = uint16At(bytes, dataAt + 2 * from, to - from);
        for (let i = 0; i < count; i++) {
          const at = positions[i] as number;
          out[at] = base + (offsets[at] as number);
        }
        return out;
      }
      case columnEncodings.offset32: {
        const out = this.room(to - from);
        const offsets = uint32At(bytes, dataAt + 4 * from, to - from);
        for (let i = 0; i < count; i++) {
          const at = positions[i] as number;
          out[at] = base + (offsets[at] as number);
        }
        return out;
      }
      case columnEncodings.constant:
        return this.ints(stored, from, to);
      default:
        return undefined;
    }
  }

  /** Reads each cell separately, in any encoding. */
  private cells(stored: StoredColumn, from: number, to: number): Scalar[] {
    const out: Scalar[] = [];
    const isConstant = stored.encoding === columnEncodings.constant;
    for (let slot = from; slot < to; slot++) {
      if (stored.isNull(slot) || stored.isAbsent(slot)) out.push(null);
      else if (isConstant && slot > from && out[slot - from - 1] !== null) {
        out.push(out[slot - from - 1] as Scalar);
      } else {
        cell.clear();
        stored.appendCell(slot, cell);
        out.push(cellValue(this.column, cell.bytes, 0, cell.length, stored.isAscii));
      }
    }
    return out;
  }

  /** Returns the values of a dictionary, which are cached in the block. */
  private entriesOf(stored: StoredColumn): readonly Scalar[] {
    if (stored.entries === undefined) {
      const { bytes, entryCount, isAscii } = stored;
      stored.entries = Array.from({ length: entryCount }, (_, code) =>
        cellValue(this.column, bytes, stored.entryFrom(code), stored.entryTo(code), isAscii),
      );
    }
    return stored.entries as readonly Scalar[];
  }

  private room(count: number): Float64Array {
    if (this.numbers.length < count) this.numbers = new Float64Array(Math.max(count, 1024));
    return this.numbers.length === count ? this.numbers : this.numbers.subarray(0, count);
  }
}

// Typed arrays over `count` items at `at`: views of the block, or copies if the block is not aligned.

function uint16At(bytes: Uint8Array, at: number, count: number): Uint16Array {
  const from = bytes.byteOffset + at;
  if ((from & 1) === 0) return new Uint16Array(bytes.buffer, from, count);
  return new Uint16Array(bytes.slice(at, at + 2 * count).buffer);
}

function uint32At(bytes: Uint8Array, at: number, count: number): Uint32Array {
  const from = bytes.byteOffset + at;
  if ((from & 3) === 0) return new Uint32Array(bytes.buffer, from, count);
  return new Uint32Array(bytes.slice(at, at + 4 * count).buffer);
}

function float64At(bytes: Uint8Array, at: number, count: number): Float64Array {
  const from = bytes.byteOffset + at;
  if ((from & 7) === 0) return new Float64Array(bytes.buffer, from, count);
  return new Float64Array(bytes.slice(at, at + 8 * count).buffer);
}
