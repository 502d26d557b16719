/** Rows on the local disk, apart by the hashes of their keys: rows with one key are in one part, and parts are small enough, or can be parted again. */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import { batchRowsMax, type Selection, type Vector } from '../batch/vector.ts';
import { hashKeys } from './key-hash.ts';
import type { ProgramFile } from './program-spill.ts';
import { SpilledRows } from './spilled-rows.ts';

const partBits = 4;
const partCount = 2 ** partBits;
/** How often parts are parted again. */
export const levelsMax = 8;

export class Partitions {
  readonly parts: readonly SpilledRows[];
  readonly level: number;
  private readonly file: ProgramFile;
  private readonly hashes = new Uint32Array(batchRowsMax);

  /** `level` is how often the rows have been parted before: each time by other hashes. */
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

  /** Each selected row, the leading columns of `columns`, goes where its key belongs. */
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

  /** A wait when much is on its way to the disk. */
  crowded(): Pending | undefined {
    return this.file.crowded();
  }

  /** No row follows; a wait until all can be read. */
  finish(): Pending | undefined {
    let wait: Pending | undefined;
    for (const part of this.parts) wait = part.finish() ?? wait;
    return wait;
  }
}
