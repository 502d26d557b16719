/** Reads columns of values from the rows of a run, if the block stores them as columns. */

import { type Column, columnById, type Table } from '#catalog';
import type { BlockSpan } from '#storage';
import {
  ColumnReader,
  type ColumnVector,
  type DictionaryCodes,
  type Picked,
} from './column-reader.ts';
import { KeyColumnReader } from './key-column-reader.ts';
import { isStoredInBody } from './row-writer.ts';

/** Reads the columns of consecutive rows of a block with columnar layout. */
export class RunReader {
  private readonly columns: readonly Column[];
  /** The readers by position in `columns`: of its keys or of its cells. */
  private readonly readers: readonly (KeyColumnReader | ColumnReader)[];

  constructor(table: Table, columns: readonly Column[]) {
    this.columns = columns;
    const keyTypes = table.primaryKey.map((id) => columnById(table, id)?.type ?? 'bytes');
    this.readers = columns.map((column) => {
      if (isStoredInBody(table, column)) return new ColumnReader(column);
      const member = table.primaryKey.indexOf(column.id);
      return new KeyColumnReader(column, member, keyTypes);
    });
  }

  /**
   * Returns the column at position `which`. Its values are valid until the next read of the same column. With `picked`, values at other
   * positions are arbitrary.
   */
  column(which: number, { block, from, to }: BlockSpan, picked?: Picked): ColumnVector {
    const reader = this.readers[which] as KeyColumnReader | ColumnReader;
    if (reader instanceof KeyColumnReader) return reader.read(block, from, to, picked);
    const { physicalId, missing } = this.columns[which] as Column;
    const stored = block.values.column?.(physicalId);
    if (stored === undefined) return Array.from({ length: to - from }, () => missing);
    return reader.read(stored, from, to, picked);
  }

  /** Returns the dictionary codes of the column at position `which`; `undefined` if the block has no dictionary for it. */
  dictionary(which: number, { block, from, to }: BlockSpan): DictionaryCodes | undefined {
    const reader = this.readers[which] as KeyColumnReader | ColumnReader;
    if (reader instanceof KeyColumnReader) return undefined;
    const stored = block.values.column?.((this.columns[which] as Column).physicalId);
    return stored === undefined ? undefined : reader.dictionary(stored, from, to);
  }
}
