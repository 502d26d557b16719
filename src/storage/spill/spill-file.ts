/** One file of a spill space: written at its end while others work, read anywhere once that is done. */

import { invariant, type Pending } from '#base';
import type { IoFile } from '../object/directory-io.ts';
import { StorageError, storageError } from '../object/trouble.ts';

/** Bytes on their way to the disk before the writer has to wait. */
const aheadBytesMax = 4 << 20;
const label = 'a spill file';

/** What the file tells of its bytes. */
interface Room {
  take(bytes: number): boolean;
  closed(bytes: number): void;
}

export class SpillFile {
  private readonly room: Room;
  private readonly file: IoFile;
  private length = 0;
  /** Bytes of writes that have not ended. */
  private ahead = 0;
  private writes: Promise<void> = Promise.resolve();
  private trouble: StorageError | undefined;
  private isClosed = false;

  constructor(room: Room, file: IoFile) {
    this.room = room;
    this.file = file;
  }

  /**
   * Puts `bytes`, which are the file's from now on, behind what was written, and returns where they begin. Throws a StorageError: `full` when the
   * space has no room, or what an earlier write failed with.
   */
  append(bytes: Uint8Array): number {
    if (this.trouble !== undefined) throw this.trouble;
    if (!this.room.take(bytes.length)) {
      throw new StorageError({ kind: 'full', operation: 'write', object: label });
    }
    const at = this.length;
    this.length += bytes.length;
    this.ahead += bytes.length;
    this.writes = this.writes.then(() => this.write(bytes, at));
    return at;
  }

  /** A wait when much is on its way. */
  crowded(): Pending | undefined {
    return this.ahead > aheadBytesMax ? this.writes : undefined;
  }

  /** A wait until everything can be read. Throws what a write failed with. */
  settled(): Pending | undefined {
    if (this.trouble !== undefined) throw this.trouble;
    return this.ahead > 0 ? this.writes : undefined;
  }

  /** Fills `target` from `at` on, at once; of a part that is settled. */
  read(target: Uint8Array, at: number): void {
    invariant(!this.isClosed, 'a closed spill file is not read');
    let read: number;
    try {
      read = this.file.read(target, at);
    } catch (error) {
      throw storageError('read', label, error);
    }
    if (read < target.length) {
      throw new StorageError({ kind: 'io', operation: 'read', object: label });
    }
  }

  /** Gives up what is in it; a write that is under way still has the file. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.ahead === 0) this.end();
    else void this.writes.then(() => this.end());
  }

  private end(): void {
    this.file.close();
    this.room.closed(this.length);
  }

  /** Never rejects: what goes wrong is told to the next who asks. */
  private async write(bytes: Uint8Array, at: number): Promise<void> {
    try {
      if (this.trouble === undefined && !this.isClosed) await this.file.write(bytes, at);
    } catch (error) {
      this.trouble = storageError('write', label, error);
    } finally {
      this.ahead -= bytes.length;
    }
  }
}
