/**
 * Rows of any number, in their order of appending. They are in memory as long as they fit into the share of an operator that spills, and on the
 * local disk from then on. They can be read from any position, several times, and between two additions. Without a spill space, all rows stay in
 * memory, and the program fails with `memory_limit` as usual.
 */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import { Appending } from '../batch/appending.ts';
import type { Batch } from '../batch/batch.ts';
import { type ChunkedColumn, sliceOfPieces } from '../batch/chunked-column.ts';
import { RowStore, windowEnd } from '../batch/row-store.ts';
import { batchRowsMax, denseSelection } from '../batch/vector.ts';
import type { Memory, MemoryReservation } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { ProgramFile, ProgramSpill } from './program-spill.ts';
import { type SpilledReader, SpilledRows } from './spilled-rows.ts';

/** Returns a wait if one is due before work on `rows` rows. */
export type Pause = (rows: number) => Pending | undefined;

/** A decoded block takes about this many times its bytes on disk. */
const decodedOfBlock = 4;

export class RowList {
  readonly types: readonly DatumType[];
  private readonly memory: Memory;
  private readonly reservation: MemoryReservation;
  /** The rows in memory; undefined once all of them are on disk. */
  private held: RowStore | undefined;
  /** The batch that `settle` appends to the rows in memory. */
  private appending: Appending | undefined;
  /** The rows on disk. While `held` is defined, they are a copy of its first rows. */
  private spilled: SpilledRows | undefined;
  private file: ProgramFile | undefined;

  /** The memory of the rows is accounted for the operator of `site`. */
  constructor(types: readonly DatumType[], memory: Memory, site: OperatorProfile) {
    this.types = types;
    this.memory = memory;
    this.reservation = memory.reservation(site);
    this.held = new RowStore(types);
  }

  /** Number of rows, all of which can be read once `settle` or `flush` has returned undefined. */
  get length(): number {
    return this.held?.length ?? (this.spilled as SpilledRows).length;
  }

  /** Bytes of memory that the rows take. */
  get bytes(): number {
    const onDisk = this.spilled === undefined ? 0 : this.spilled.bytes + this.readBytes;
    return (this.held?.bytes ?? 0) + onDisk;
  }

  /** Whether the rows are on disk. */
  get isSpilled(): boolean {
    return this.held === undefined;
  }

  /** Offers a batch, which `settle` appends. The caller must not change it before `settle` has returned undefined. */
  append(batch: Batch): void {
    if (this.held !== undefined) this.appending = new Appending(this.held, batch);
    else this.spilled?.add(batch);
  }

  /** Appends the batch that was offered last, and spills rows if they do not fit into memory. After a wait, call it again. */
  settle(pause: Pause): Pending | undefined {
    const wait = this.appending?.run(pause);
    if (wait !== undefined) return wait;
    this.appending = undefined;
    if (this.held !== undefined && !this.isMoving && this.reservation.fits(this.bytes)) {
      return undefined;
    }
    const moving = this.held && this.move(this.held, pause);
    if (moving !== undefined) return moving;
    this.reservation.resize(this.bytes);
    return this.file?.crowded();
  }

  /** Makes all appended rows readable; further rows may follow. `settle` must have returned undefined. After a wait, call it again. */
  flush(): Pending | undefined {
    if (this.held !== undefined) return undefined;
    const wait = this.spilled?.finish();
    this.reservation.resize(this.bytes);
    return wait;
  }

  /** Returns a reader of the rows from `from` on: of the columns at `columnIndexes`, or of all. */
  reader(from = 0, columnIndexes?: readonly number[]): RowReader {
    return new RowReader(this, from, columnIndexes ?? this.types.map((_, c) => c));
  }

  /** Discards all rows and releases their memory. The list is empty then, and can be used again. */
  clear(): void {
    this.file?.close();
    this.file = undefined;
    this.spilled = undefined;
    this.appending = undefined;
    this.held = new RowStore(this.types);
    this.reservation.resize(0);
  }

  /** Returns the rows [from, to) if they are in memory. */
  window(from: number, to: number, columnIndexes: readonly number[]): Batch | undefined {
    const { held } = this;
    if (held === undefined) return undefined;
    const columns = columnIndexes.map((c) =>
      sliceOfPieces(held.columns[c] as ChunkedColumn, from, to),
    );
    return { columns, selection: denseSelection, count: to - from };
  }

  /** Returns a reader of the rows on disk. */
  diskReader(from: number): SpilledReader {
    return (this.spilled as SpilledRows).reader(from);
  }

  private get isMoving(): boolean {
    return this.spilled !== undefined;
  }

  private get readBytes(): number {
    return decodedOfBlock * (this.file?.blockBytes ?? 0);
  }

  /** Copies the rows in memory to the disk, and releases them once the copy can be read. */
  private move(held: RowStore, pause: Pause): Pending | undefined {
    this.file ??= (this.memory.spill as ProgramSpill).open();
    this.spilled ??= new SpilledRows(this.types, this.file);
    const { file, spilled } = this;
    while (spilled.length < held.length) {
      const wait = file.crowded() ?? pause(batchRowsMax);
      if (wait !== undefined) return wait;
      const from = spilled.length;
      const to = windowEnd(from, held.length, batchRowsMax);
      const columns = held.window(from, to);
      spilled.add({ columns, selection: denseSelection, count: to - from });
    }
    const wait = spilled.finish();
    if (wait !== undefined) return wait;
    this.held = undefined;
    return undefined;
  }
}

/** Reads a list in order. Rows that are appended meanwhile are read, too. */
export class RowReader {
  private readonly list: RowList;
  private readonly columnIndexes: readonly number[];
  /** Position of the next row. */
  at: number;
  private disk: SpilledReader | undefined;
  /** The block that is being read, and the number of its rows that were returned. */
  private block: Batch | undefined;
  private taken = 0;

  constructor(list: RowList, from: number, columnIndexes: readonly number[]) {
    this.list = list;
    this.at = from;
    this.columnIndexes = columnIndexes;
  }

  /** The types of all columns of the list. */
  get types(): readonly DatumType[] {
    return this.list.types;
  }

  /** Returns the next rows before position `to`, at most `wanted` and `batchRowsMax`; undefined if there are none. */
  read(wanted: number, to = this.list.length): Batch | undefined {
    const { at } = this;
    const end = windowEnd(at, Math.min(to, this.list.length), wanted);
    if (end <= at) return undefined;
    const batch = this.list.window(at, end, this.columnIndexes) ?? this.readDisk(end - at);
    if (batch !== undefined) this.at += batch.count;
    return batch;
  }

  private readDisk(wanted: number): Batch | undefined {
    this.disk ??= this.list.diskReader(this.at);
    if (this.block === undefined || this.taken === this.block.count) {
      this.block = this.disk.read();
      this.taken = 0;
    }
    if (this.block === undefined) return undefined;
    const { columns, count } = this.block;
    const from = this.taken;
    this.taken = Math.min(count, from + wanted);
    const picked = this.columnIndexes.map((c) => columns[c] as Batch['columns'][number]);
    const isWhole = from === 0 && this.taken === count;
    return {
      columns: isWhole ? picked : picked.map((column) => column.slice(from, this.taken)),
      selection: denseSelection,
      count: this.taken - from,
    };
  }
}
