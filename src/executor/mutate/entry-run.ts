/** Sorted entries on the local disk, in blocks with checksums. */

import { ByteWriter, compareRanges, crc32, type Pending } from '#base';
import { notReadBack, type ProgramFile } from '../spill/program-spill.ts';

/** The record of a block that stays in memory. */
interface Block {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}
const blockRecordBytes = 80;
/** Bytes before each entry: the lengths of its key and of its value. */
const lengthBytes = 8;
/** Number of key bytes in a head. */
const headBytes = 6;

export class EntryRun {
  private readonly file: ProgramFile;
  private readonly blocks: Block[] = [];
  private writer = new ByteWriter(1024);

  constructor(file: ProgramFile) {
    this.file = file;
  }

  /** Bytes of memory that the run takes. */
  get bytes(): number {
    return this.writer.bytes.length + this.blocks.length * blockRecordBytes;
  }

  /** Appends an entry, whose key must not be less than the one before it. */
  add(bytes: Uint8Array, keyFrom: number, keyTo: number, valueTo: number): void {
    const { writer } = this;
    writer.u32(keyTo - keyFrom);
    writer.u32(valueTo - keyTo);
    writer.append(bytes, keyFrom, valueTo);
    if (writer.length >= this.file.blockBytes) this.endBlock();
  }

  /** Ends writing. Returns a wait until all entries can be read. */
  finish(): Pending | undefined {
    if (this.writer.length > 0) this.endBlock();
    this.writer = new ByteWriter(0);
    return this.file.settled();
  }

  /** Returns a reader before the first entry; `finish` must have been called. For the parameters, see `RunReader`. */
  reader(number: number, sharedBytes: number): RunReader {
    return new RunReader({ blocks: this.blocks, file: this.file }, number, sharedBytes);
  }

  private endBlock(): void {
    const bytes = this.writer.take();
    this.writer.clear();
    const at = this.file.append(bytes);
    this.blocks.push({ at, bytes: bytes.length, checksum: crc32(bytes) });
  }
}

/** The current entry of a run: a key at [keyFrom, keyTo), and a value after it up to `valueTo`. */
export class RunReader {
  bytes = new Uint8Array(0);
  keyFrom = 0;
  keyTo = 0;
  valueTo = 0;
  /** The first bytes of the key behind those that all keys of the merge share, as a number. */
  head = 0;
  private view = new DataView(this.bytes.buffer);
  private readonly source: { readonly blocks: readonly Block[]; readonly file: ProgramFile };
  private readonly number: number;
  private readonly sharedBytes: number;
  private nextBlock = 0;

  /** `number` is the position of the run among all runs, and `sharedBytes` the number of bytes with which all keys begin. */
  constructor(source: RunReader['source'], number: number, sharedBytes: number) {
    this.source = source;
    this.number = number;
    this.sharedBytes = sharedBytes;
  }

  /** Moves to the next entry; returns false at the end. */
  next(): boolean {
    if (this.valueTo === this.bytes.length && !this.load()) return false;
    const at = this.valueTo;
    this.keyFrom = at + lengthBytes;
    this.keyTo = this.keyFrom + this.view.getUint32(at, true);
    this.valueTo = this.keyTo + this.view.getUint32(at + 4, true);
    this.head = headAt(this.bytes, this.keyFrom + this.sharedBytes, this.keyTo);
    return true;
  }

  /** Returns whether the entry comes before that of another run: by key, then by the position of the run. */
  precedes(other: RunReader): boolean {
    if (this.head !== other.head) return this.head < other.head;
    const { bytes, keyFrom, keyTo } = other;
    const order = compareRanges(this.bytes, this.keyFrom, this.keyTo, bytes, keyFrom, keyTo);
    return order === 0 ? this.number < other.number : order < 0;
  }

  private load(): boolean {
    const { blocks, file } = this.source;
    const block = blocks[this.nextBlock];
    if (block === undefined) return false;
    this.nextBlock++;
    const bytes = new Uint8Array(block.bytes);
    file.read(bytes, block.at);
    if (crc32(bytes) !== block.checksum) throw notReadBack();
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
    this.valueTo = 0;
    return true;
  }
}

function headAt(bytes: Uint8Array, from: number, end: number): number {
  let head = 0;
  for (let i = from; i < from + headBytes; i++) {
    head = head * 256 + (i < end ? (bytes[i] as number) : 0);
  }
  return head;
}
