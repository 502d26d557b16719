/**
 * An object that is written to its file as it grows. Only the bytes of the pending writes are in
 * memory.
 */

import type { Pending } from '#base';
import { concatenate } from './body.ts';
import type { DirectoryIo, IoFile } from './directory-io.ts';
import { ensureDirectory, inDirectory, parentOf, temporaryDirectory } from './directory-tree.ts';
import { StorageError, storageError } from './storage-fault.ts';
import type { ObjectWriter } from './store.ts';

/**
 * Bytes of one write. Each write takes an iteration of the event loop, and these are rare under
 * load.
 */
const writeBytes = 1 << 20;
/** Bytes of pending writes above which the caller has to wait. */
const aheadBytesMax = 4 << 20;

interface GrowingFile {
  readonly io: DirectoryIo;
  /** The name under which the object will appear. */
  readonly name: string;
  /** The file of the object until then. */
  readonly temporary: string;
}

export class FileWriter implements ObjectWriter {
  private readonly target: GrowingFile;
  private readonly file: IoFile;
  private parts: Uint8Array[] = [];
  private gathered = 0;
  private position = 0;
  /** Bytes of pending writes. */
  private ahead = 0;
  /** The writes so far, chained in order. */
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
    if (this.gathered < writeBytes) return undefined;
    const written = this.flush();
    return this.ahead > aheadBytesMax ? written : undefined;
  }

  async finish(): Promise<void> {
    const { io, name, temporary } = this.target;
    try {
      await this.flush();
      // No temporary object survives the process, so it need not survive a power failure.
      const isLasting = parentOf(name) !== temporaryDirectory;
      if (isLasting) await this.file.sync();
      await ensureDirectory(io, parentOf(name));
      this.refuseMoved();
      this.end();
      await inDirectory(io, parentOf(name), () => io.rename(temporary, name));
      if (isLasting) await io.syncDirectory(parentOf(name));
    } catch (error) {
      await this.giveUp();
      throw storageError('write', name, error);
    }
  }

  discard(): void {
    void this.giveUp();
  }

  /**
   * Throws if the directory was replaced meanwhile: the temporary name then may lead to an
   * incomplete file.
   */
  private refuseMoved(): void {
    const { name, temporary } = this.target;
    if (this.file.isAt(temporary)) return;
    throw new StorageError({ kind: 'io', operation: 'find', object: name });
  }

  private end(): void {
    if (!this.isEnded) this.file.close();
    this.isEnded = true;
  }

  /** Never rejects. */
  private async giveUp(): Promise<void> {
    const { io, temporary } = this.target;
    try {
      await io.remove(temporary);
    } catch {
      // The next opening empties `tmp/`.
    }
    // A pending write still uses the file.
    await this.writes.catch(() => {});
    if (!this.isEnded) this.file.discard(() => {});
    this.isEnded = true;
  }

  private flush(): Promise<void> {
    const whole = concatenate(this.parts);
    this.parts = [];
    this.gathered = 0;
    this.ahead += whole.length;
    this.writes = this.writes.then(() => this.writeNext(whole));
    // The caller that waits for the write, or for `finish`, receives the failure.
    this.writes.catch(() => {});
    return this.writes;
  }

  private async writeNext(bytes: Uint8Array): Promise<void> {
    try {
      await this.file.write(bytes, this.position);
      this.position += bytes.length;
    } catch (error) {
      throw storageError('write', this.target.name, error);
    } finally {
      this.ahead -= bytes.length;
    }
  }
}
