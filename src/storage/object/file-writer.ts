/** An object that is written to its file as it grows: only what one write takes is kept in memory. */

import type { Pending } from '#base';
import type { DirectoryIo, IoFile } from './directory-io.ts';
import { ensureDirectory, parentOf } from './directory-tree.ts';
import type { ObjectWriter } from './store.ts';
import { StorageError, storageError } from './trouble.ts';

/** Bytes of one write. */
const writeBytes = 1 << 20;

export interface GrowingFile {
  readonly io: DirectoryIo;
  /** Under which name the object will appear. */
  readonly name: string;
  /** Its file until then. */
  readonly temporary: string;
}

export class FileWriter implements ObjectWriter {
  private readonly target: GrowingFile;
  private readonly file: IoFile;
  private parts: Uint8Array[] = [];
  private gathered = 0;
  private position = 0;
  /** The writes so far, one after the other. */
  private writes: Promise<void> = Promise.resolve();
  private isEnded = false;

  constructor(target: GrowingFile) {
    const { io, name, temporary } = target;
    this.target = target;
    try {
      const file = io.open(temporary, 'create');
      if (file === undefined) {
        throw new StorageError({ kind: 'io', operation: 'create', object: temporary });
      }
      this.file = file;
    } catch (error) {
      throw storageError('write', name, error);
    }
  }

  write(part: Uint8Array): Pending | undefined {
    this.parts.push(part);
    this.gathered += part.length;
    return this.gathered < writeBytes ? undefined : this.flush();
  }

  async finish(): Promise<void> {
    const { io, name, temporary } = this.target;
    try {
      await this.flush();
      await this.file.sync();
      this.end();
      await ensureDirectory(io, parentOf(name));
      io.rename(temporary, name);
      await io.syncDirectory(parentOf(name));
    } catch (error) {
      this.discard();
      throw storageError('write', name, error);
    }
  }

  discard(): void {
    const { io, temporary } = this.target;
    // A write that is under way still has the file.
    void this.writes.catch(() => {}).then(() => this.end());
    try {
      io.unlink(temporary);
    } catch {
      // What is left in `tmp/` goes at the next opening.
    }
  }

  private end(): void {
    if (!this.isEnded) this.file.close();
    this.isEnded = true;
  }

  private flush(): Promise<void> {
    const { parts } = this;
    this.parts = [];
    this.gathered = 0;
    this.writes = this.writes.then(() => this.writeAll(parts));
    // Who waits for it, or finishes, sees the failure.
    this.writes.catch(() => {});
    return this.writes;
  }

  private async writeAll(parts: readonly Uint8Array[]): Promise<void> {
    try {
      for (const part of parts) {
        await this.file.write(part, this.position);
        this.position += part.length;
      }
    } catch (error) {
      throw storageError('write', this.target.name, error);
    }
  }
}
