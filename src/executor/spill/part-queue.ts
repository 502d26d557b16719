/**
 * Spills the input that an operator has no memory for in partitions, and reads it again one partition after the other. A partition that is too
 * large is partitioned again with other hashes.
 */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import type { Batch } from '../batch/batch.ts';
import type { Selection, Vector } from '../batch/vector.ts';
import { levelsMax, Partitions } from './partitions.ts';
import type { ProgramFile, ProgramSpill } from './program-spill.ts';
import type { SpilledReader, SpilledRows } from './spilled-rows.ts';

interface Part {
  readonly rows: SpilledRows;
  /** Number of times that the rows of the part have been partitioned. */
  readonly level: number;
  /** The file is closed after its last part has been read. */
  readonly file: ProgramFile;
  readonly isLast: boolean;
}

export class PartQueue {
  private readonly types: readonly DatumType[];
  private readonly spill: ProgramSpill;
  /** A stack: the parts of a part are read before its siblings, so that files are closed early. */
  private readonly waiting: Part[] = [];
  private current: Part | undefined;
  private reader: SpilledReader | undefined;
  private open: { readonly partitions: Partitions; readonly file: ProgramFile } | undefined;

  constructor(types: readonly DatumType[], spill: ProgramSpill) {
    this.types = types;
    this.spill = spill;
  }

  /** Bytes of memory that the queue takes. */
  get bytes(): number {
    let bytes = this.open?.partitions.bytes ?? 0;
    for (const { rows } of this.waiting) bytes += rows.bytes;
    return bytes;
  }

  /** Whether a part is being read, and no longer the input. */
  get isReading(): boolean {
    return this.current !== undefined;
  }

  /** Whether the rows that are being read may be partitioned once more. */
  get canPart(): boolean {
    return this.level < levelsMax;
  }

  /** Spills the selected rows of the current input or part, the leading columns of `columns`. */
  add(keys: readonly Vector[], columns: readonly Vector[], selection: Selection, count: number) {
    if (count === 0) return;
    this.open ??= this.opened();
    this.open.partitions.add(keys, columns, selection, count);
  }

  /** Returns a wait if too many bytes are still to be written to disk. */
  crowded(): Pending | undefined {
    return this.open?.file.crowded();
  }

  /** Returns the next rows of the part; undefined at the end. */
  read(): Batch | undefined {
    return this.reader?.read();
  }

  /** Ends the current input or part and begins the next part; returns false if there is none. After a wait, call it again. */
  next(): boolean | Pending {
    const wait = this.open?.partitions.finish();
    if (wait !== undefined) return wait;
    if (this.open !== undefined) this.enqueue(this.open.partitions, this.open.file);
    this.open = undefined;
    this.endPart();
    this.current = this.waiting.pop();
    this.reader = this.current?.rows.reader();
    return this.current !== undefined;
  }

  close(): void {
    this.open?.file.close();
    for (const { file } of this.waiting) file.close();
    this.current?.file.close();
  }

  private get level(): number {
    return this.current?.level ?? 0;
  }

  private opened() {
    const file = this.spill.open();
    return { partitions: new Partitions(this.types, file, this.level), file };
  }

  private enqueue({ parts, level }: Partitions, file: ProgramFile): void {
    const filled = parts.filter((rows) => rows.length > 0);
    filled.forEach((rows, i) => {
      this.waiting.push({ rows, level: level + 1, file, isLast: i === 0 });
    });
  }

  private endPart(): void {
    if (this.current?.isLast === true) this.current.file.close();
  }
}
