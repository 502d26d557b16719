/**
 * Input that an operator has no room for, put down in parts and read again one part after the other. A part that is too large in its turn is
 * parted again, by other hashes.
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
  /** How often its rows have been parted. */
  readonly level: number;
  /** Closed after the last part that is in it. */
  readonly file: ProgramFile;
  readonly isLast: boolean;
}

export class PartQueue {
  private readonly types: readonly DatumType[];
  private readonly spill: ProgramSpill;
  /** What comes next stands last: the parts of a part before its neighbours, so that files are given up early. */
  private readonly waiting: Part[] = [];
  private current: Part | undefined;
  private reader: SpilledReader | undefined;
  private open: { readonly partitions: Partitions; readonly file: ProgramFile } | undefined;

  constructor(types: readonly DatumType[], spill: ProgramSpill) {
    this.types = types;
    this.spill = spill;
  }

  /** The memory that it takes. */
  get bytes(): number {
    let bytes = this.open?.partitions.bytes ?? 0;
    for (const { rows } of this.waiting) bytes += rows.bytes;
    return bytes;
  }

  /** Whether a part is being read, no longer the input. */
  get isReading(): boolean {
    return this.current !== undefined;
  }

  /** Whether what is being read can be parted once more. */
  get canPart(): boolean {
    return this.level < levelsMax;
  }

  /** Puts down the selected rows of what is being read, the leading columns of `columns`. */
  add(keys: readonly Vector[], columns: readonly Vector[], selection: Selection, count: number) {
    if (count === 0) return;
    this.open ??= this.opened();
    this.open.partitions.add(keys, columns, selection, count);
  }

  /** A wait when much is on its way to the disk. */
  crowded(): Pending | undefined {
    return this.open?.file.crowded();
  }

  /** The next rows of the part, undefined at its end. */
  read(): Batch | undefined {
    return this.reader?.read();
  }

  /** What was being read has been read: the next part, if there is one. After a wait to be called again. */
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
