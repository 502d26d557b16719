/** What one program has put down on the local disk: every file of it goes when the program ends, however it does. */

import type { Pending } from '#base';
import { DatabaseError, fail } from '#failure';
import { type SpillFile, type SpillSpace, StorageError } from '#storage';

/** Bytes of a block, unless little may be held. */
const blockBytesMax = 64 * 1024;
/** An operator has some sixteen blocks in the making at a time: they may take so much of its share. */
const blockOfShare = 1 / 64;

export class ProgramSpill {
  private readonly space: SpillSpace;
  private readonly blockBytes: number;
  private readonly files = new Set<ProgramFile>();

  /** `shareBytes` is what an operator holds before it puts it down. */
  constructor(space: SpillSpace, shareBytes: number) {
    this.space = space;
    this.blockBytes = Math.min(blockBytesMax, Math.floor(shareBytes * blockOfShare));
  }

  /** Throws `memory_limit` when the disk takes none: the program is where it would be without one. */
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

  /** What `act` gives, which writes. */
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
      error.trouble.kind === 'full'
        ? `there is no room for it on the disk (--spill-limit-mib, ${mebibytes} MiB for all programs)`
        : 'the disk did not take it (--spill-path)';
    const { failure } = fail(
      'memory_limit',
      `the program needs more memory than it may hold, and ${why}`,
    );
    return new DatabaseError(failure, { cause: error });
  }
}

/** One file, for one operator. */
export class ProgramFile {
  /** Rows are written in blocks of about so many bytes. */
  readonly blockBytes: number;
  private readonly program: ProgramSpill;
  private readonly file: SpillFile;

  constructor(program: ProgramSpill, file: SpillFile, blockBytes: number) {
    this.program = program;
    this.file = file;
    this.blockBytes = blockBytes;
  }

  /** Where the bytes begin, which are the file's from now on. Throws `memory_limit` when there is no room for them. */
  append(bytes: Uint8Array): number {
    return this.program.trying(() => this.file.append(bytes));
  }

  /** A wait when much is on its way to the disk. */
  crowded(): Pending | undefined {
    return this.file.crowded();
  }

  /** A wait until everything can be read. */
  settled(): Pending | undefined {
    return this.program.trying(() => this.file.settled());
  }

  /** Fills `target` from `at` on. */
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
    `the program needs more memory than it may hold, and so many operators have put theirs on the disk that no file can be opened (${filesMax} for all programs)`,
  );
}

/** Nothing is wrong with the store: only the program that put it down is concerned, and that is not the user's mistake. */
export function notReadBack(cause?: unknown): Error {
  return new Error('what a program put down on the disk does not read back', { cause });
}
