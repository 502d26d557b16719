/** The spill files of one program. They are all deleted when the program ends, with or without an error. */

import type { Pending } from '#base';
import { DatabaseError, fail } from '#failure';
import { type SpillFile, type SpillSpace, StorageError } from '#storage';

/** Maximum bytes of a block; blocks are smaller if operators may use little memory. */
const blockBytesMax = 64 * 1024;
/** Maximum size of a block as a part of the memory share of an operator, which fills about sixteen blocks at a time. */
const blockOfShare = 1 / 64;

export class ProgramSpill {
  private readonly space: SpillSpace;
  private readonly blockBytes: number;
  private readonly files = new Set<ProgramFile>();

  /** `shareBytes` is the memory that an operator uses before it spills. */
  constructor(space: SpillSpace, shareBytes: number) {
    this.space = space;
    this.blockBytes = Math.min(blockBytesMax, Math.floor(shareBytes * blockOfShare));
  }

  /** Opens a spill file. Throws `memory_limit` if the disk refuses it, as without a disk. */
  open(): ProgramFile {
    const file = this.trying(() => this.space.open());
    if (file === undefined) throw tooManyFiles(this.space.filesMax);
    const opened = new ProgramFile(this, file, this.blockBytes);
    this.files.add(opened);
    return opened;
  }

  closed(file: ProgramFile): void {
    this.files.delete(file);
  }

  closeAll(): void {
    for (const file of [...this.files]) file.close();
  }

  /** Calls `act`, which writes, and returns its result. Converts a storage error into `memory_limit`. */
  trying<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw this.refusal(error);
    }
  }

  private refusal(error: unknown): unknown {
    if (!(error instanceof StorageError)) return error;
    const mebibytes = Math.floor(this.space.limitBytes / 2 ** 20);
    const why =
      error.fault.kind === 'full'
        ? `the disk has no space for its spill files: all programs together may use ${mebibytes} MiB, by --spill-limit-mib and the free space; free some space, raise the limit, or send it again when fewer programs run`
        : 'its spill files cannot be written (--spill-path)';
    const { failure } = fail(
      'memory_limit',
      `the program needs more memory than it may use, and ${why}`,
    );
    return new DatabaseError(failure, { cause: error });
  }
}

/** A spill file of one operator. */
export class ProgramFile {
  /** Approximate bytes of a block of rows. */
  readonly blockBytes: number;
  private readonly program: ProgramSpill;
  private readonly file: SpillFile;

  constructor(program: ProgramSpill, file: SpillFile, blockBytes: number) {
    this.program = program;
    this.file = file;
    this.blockBytes = blockBytes;
  }

  /** Appends bytes, which belong to the file from then on, and returns their position. Throws `memory_limit` if there is no space for them. */
  append(bytes: Uint8Array): number {
    return this.program.trying(() => this.file.append(bytes));
  }

  /** Returns a wait if too many bytes are still to be written to disk. */
  crowded(): Pending | undefined {
    return this.file.crowded();
  }

  /** Returns a wait until all bytes can be read. */
  settled(): Pending | undefined {
    return this.program.trying(() => this.file.settled());
  }

  /** Fills `target` with the bytes from `at` on. */
  read(target: Uint8Array, at: number): void {
    try {
      this.file.read(target, at);
    } catch (error) {
      throw notReadBack(error);
    }
  }

  close(): void {
    this.program.closed(this);
    this.file.close();
  }
}

function tooManyFiles(filesMax: number): DatabaseError {
  return fail(
    'memory_limit',
    `the program needs more memory than it may use, and no further spill file can be opened (limit: ${filesMax} for all programs)`,
  );
}

/** Returns an internal error: neither the store nor the user has caused it, and it affects only the program that wrote the file. */
export function notReadBack(cause?: unknown): Error {
  return new Error('the spill file of a program cannot be read back', { cause });
}
