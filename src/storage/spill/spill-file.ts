/** One file of a spill space. Bytes are appended in the background, and can be read anywhere once the writes have finished. */

import { invariant, type Pending } from '#base';
import type { IoFile } from '../object/directory-io.ts';
import { StorageError, storageError } from '../object/storage-fault.ts';

/** Bytes in transit to the disk at which the writer has to wait. */
const aheadBytesMax = 4 << 20;
const label = 'a spill file';

/** Accounts for the bytes of the file. */
interface Room {
  take(bytes: number): boolean;
  closed(bytes: number): void;
}

export class SpillFile {
  private readonly room: Room;
  private readonly file: IoFile;
  private length = 0;
  /** Bytes of unfinished writes. */
  private ahead = 0;
  private writes: Promise<void> = Promise.resolve();
  private fault: StorageError | undefined;
  private isClosed = false;

  constructor(room: Room, file: IoFile) {
    this.room = room;
    this.file = file;
  }

  /**
   * Appends `bytes`, which the file now owns, and returns their offset. Throws a StorageError: `full` if the space is used up, or the error
   * of an earlier write.
   */
  append(bytes: Uint8Array): number {
    if (this.fault !== undefined) throw this.fault;
    if (!this.room.take(bytes.length)) {
      throw new StorageError({ kind: 'full', operation: 'write', object: label });
    }
    const at = this.length;
    this.length += bytes.length;
    this.ahead += bytes.length;
    this.writes = this.writes.then(() => this.write(bytes, at));
    return at;
  }

  /** Returns a wait if too many bytes are in transit. */
  crowded(): Pending | undefined {
    return this.ahead > aheadBytesMax ? this.writes : undefined;
  }

  /** Returns a wait until everything can be read; `undefined` if nothing is in transit. Throws the error of a failed write. */
  settled(): Pending | undefined {
    if (this.fault !== undefined) throw this.fault;
    return this.ahead > 0 ? this.writes : undefined;
  }

  /** Fills `target` synchronously with the bytes from `at` on. The range must be settled. */
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

  /** Discards the content. The file is closed once a write in progress has finished, and keeps its place and its bytes until then. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.ahead === 0) this.end();
    else void this.writes.then(() => this.end());
  }

  private end(): void {
    this.file.discard(() => this.room.closed(this.length));
  }

  /** Writes the bytes. Never rejects: the next call of `append` or `settled` throws the error. */
  private async write(bytes: Uint8Array, at: number): Promise<void> {
    try {
      if (this.fault === undefined && !this.isClosed) await this.file.write(bytes, at);
    } catch (error) {
      this.fault = storageError('write', label, error);
    } finally {
      this.ahead -= bytes.length;
    }
  }
}
