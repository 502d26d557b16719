/**
 * Rows on the local disk, partitioned by the hashes of their keys. Rows with one key are in one part; a part that is too large can be partitioned
 * again.
 */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import { batchRowsMax, type Selection, type Vector } from '../batch/vector.ts';
import { hashKeys } from './key-hash.ts';
import type { ProgramFile } from './program-spill.ts';
import { SpilledRows } from './spilled-rows.ts';

const partBits = 4;
const partCount = 2 ** partBits;
/** Maximum number of times that rows are partitioned again. */
export const levelsMax = 8;

export class Partitions {
  readonly parts: readonly SpilledRows[];
  readonly level: number;
  private readonly file: ProgramFile;
  private readonly hashes = new Uint32Array(batchRowsMax);

  /** `level` is the number of times that the rows have been partitioned before; each level uses other hashes. */
  constructor(types: readonly DatumType[], file: ProgramFile, level: number) {
    this.parts = Array.from({ length: partCount }, () => new SpilledRows(types, file));
    this.file = file;
    this.level = level;
  }

  get bytes(): number {
    let bytes = 0;
    for (const part of this.parts) bytes += part.bytes;
    return bytes;
  }

  /** Adds each selected row, the leading columns of `columns`, to the part of its key. */
  add(
    keys: readonly Vector[],
    columns: readonly Vector[],
    selection: Selection,
    count: number,
  ): void {
    hashKeys(keys, selection, count, this.level, this.hashes);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const part = (this.hashes[row] as number) >>> (32 - partBits);
      (this.parts[part] as SpilledRows).addRow(columns, row);
    }
  }

  /** Returns a wait if too many bytes are still to be written to disk. */
  crowded(): Pending | undefined {
    return this.file.crowded();
  }

  /** Ends all parts: no row may follow. Returns a wait until all rows can be read. */
  finish(): Pending | undefined {
    let wait: Pending | undefined;
    for (const part of this.parts) wait = part.finish() ?? wait;
    return wait;
  }
}
