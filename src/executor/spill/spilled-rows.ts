/** Rows on the local disk in the order of writing. They are written a block at a time, and read a block at a time, once or more. */

import { ByteReader, ByteWriter, crc32, firstIndex, type Pending } from '#base';
import { fail } from '#failure';
import type { Datum, DatumType } from '#value';
import type { Batch } from '../batch/batch.ts';
import { datumBytes } from '../batch/datum-bytes.ts';
import { batchRowsMax, type Datums, denseSelection, type Vector } from '../batch/vector.ts';
import { appendDatum, readDatum } from './datum-codec.ts';
import { notReadBack, type ProgramFile } from './program-spill.ts';

/** The record of a block that stays in memory. */
interface Block {
  /** Position of its first row. */
  readonly from: number;
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  readonly checksum: number;
}
const blockRecordBytes = 104;

/** Maximum bytes of a nested value. Nested rows that are shared in memory are written out in full, so that a larger value is refused. */
const nestedBytesMax = 16 << 20;

export class SpilledRows {
  readonly types: readonly DatumType[];
  /** Number of rows so far. */
  length = 0;
  private readonly file: ProgramFile;
  private readonly blocks: Block[] = [];
  private writer: ByteWriter;
  /** Number of rows in the writer. */
  private gathered = 0;

  constructor(types: readonly DatumType[], file: ProgramFile) {
    this.types = types;
    this.file = file;
    this.writer = new ByteWriter(Math.min(file.blockBytes, 1024));
  }

  /** Bytes of memory that the rows take. */
  get bytes(): number {
    return this.writer.bytes.length + this.blocks.length * blockRecordBytes;
  }

  /** Appends the selected rows, the leading columns of `columns`. */
  add({ columns, selection, count }: Pick<Batch, 'columns' | 'selection' | 'count'>): void {
    for (let i = 0; i < count; i++) this.addRow(columns, selection[i] as number);
  }

  addRow(columns: readonly Vector[], row: number): void {
    const { writer, types } = this;
    for (let c = 0; c < types.length; c++) {
      const datum = (columns[c] as Vector)[row] as Datum;
      if (typeof datum === 'object' && datum !== null) refuseHuge(datum);
      appendDatum(writer, datum);
    }
    this.length++;
    this.gathered++;
    if (this.gathered === batchRowsMax || writer.length >= this.file.blockBytes) this.endBlock();
  }

  /** Ends the block that is being written. Returns a wait until all rows so far can be read. Rows may follow. */
  finish(): Pending | undefined {
    if (this.gathered > 0) this.endBlock();
    // Many finished parts can exist at a time, so that each releases its buffer.
    if (this.writer.bytes.length > 0) this.writer = new ByteWriter(0);
    return this.file.settled();
  }

  /** Returns a new reader of the rows from `from` on; `finish` must have been called. */
  reader(from = 0): SpilledReader {
    return new SpilledReader(this.blocks, this.types, this.file, from);
  }

  private endBlock(): void {
    const { writer } = this;
    const bytes = writer.take();
    const at = this.file.append(bytes);
    const rows = this.gathered;
    const from = this.length - rows;
    this.blocks.push({ from, at, bytes: bytes.length, rows, checksum: crc32(bytes) });
    writer.clear();
    this.gathered = 0;
  }
}

export class SpilledReader {
  private readonly blocks: readonly Block[];
  private readonly types: readonly DatumType[];
  private readonly file: ProgramFile;
  private next: number;
  /** Number of rows of the next block that precede the first row to be read. */
  private skipped: number;
  private bytes = new Uint8Array(0);

  constructor(
    blocks: readonly Block[],
    types: readonly DatumType[],
    file: ProgramFile,
    from: number,
  ) {
    this.blocks = blocks;
    this.types = types;
    this.file = file;
    this.next = firstIndex(0, blocks.length, (i) => endOf(blocks[i] as Block) > from);
    this.skipped = from - (blocks[this.next]?.from ?? from);
  }

  /** Returns the next rows, which later calls do not change; undefined at the end. */
  read(): Batch | undefined {
    const block = this.blocks[this.next];
    if (block === undefined) return undefined;
    this.next++;
    const batch = this.decode(block);
    const { skipped } = this;
    this.skipped = 0;
    if (skipped === 0) return batch;
    const columns = batch.columns.map((column) => column.slice(skipped));
    return { columns, selection: denseSelection, count: batch.count - skipped };
  }

  private decode(block: Block): Batch {
    const reader = new ByteReader(this.load(block));
    const columns: Datums[] = this.types.map(() => new Array(block.rows));
    for (let row = 0; row < block.rows; row++) {
      for (let c = 0; c < columns.length; c++) (columns[c] as Datums)[row] = readDatum(reader);
    }
    return { columns, selection: denseSelection, count: block.rows };
  }

  private load(block: Block): Uint8Array {
    if (this.bytes.length < block.bytes) this.bytes = new Uint8Array(block.bytes);
    const bytes = this.bytes.subarray(0, block.bytes);
    this.file.read(bytes, block.at);
    if (crc32(bytes) !== block.checksum) throw notReadBack();
    return bytes;
  }
}

function endOf({ from, rows }: Block): number {
  return from + rows;
}

function refuseHuge(datum: Datum): void {
  if (datumBytes(datum) <= nestedBytesMax) return;
  throw fail(
    'memory_limit',
    'the program needs more memory than it may use, and rows with nested values of this size cannot be spilled',
  );
}
