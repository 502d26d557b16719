/**
 * Space on the local disk for the data that running programs spill. The space is bounded for all of them together. Its files have no names, so
 * nothing remains after the process ends, however it ends.
 */

import { basename, dirname } from 'node:path';
import type { Random } from '#base';
import type { DirectoryIo, IoFile } from '../object/directory-io.ts';
import { freeBytesAt } from '../object/free-space.ts';
import { storageError } from '../object/storage-fault.ts';
import { directoryAt, systemDirectory } from '../object/system-directory.ts';
import { SpaceLimit, type SpaceLimits } from './space-limit.ts';
import { SpillFile } from './spill-file.ts';

/** Maximum number of open files. Each is a file descriptor, and connections and the store need many of them. */
const openFilesMax = 512;

interface SpillCounts {
  /** Maximum bytes of all files together, by the last measurement of the free space. */
  readonly limitBytes: number;
  readonly filesMax: number;
  /** Bytes in open files. */
  usedBytes: number;
  peakBytes: number;
  /** Bytes written since the start. */
  writtenBytes: number;
  files: number;
  /** Number of refusals because the bytes or the files were used up. */
  refused: number;
}

interface SpillOptions extends SpaceLimits {
  /** Maximum number of open files of all programs together; 512 if absent. */
  readonly filesMax?: number;
  /** Memory in bytes that an operator reserves before it spills; a share of its program's memory limit if absent. */
  readonly holdBytes?: number;
  /** A directory whose permissions a new directory gets; private if absent. */
  readonly like?: string;
}

export class SpillSpace implements SpillCounts {
  readonly filesMax: number;
  readonly holdBytes: number | undefined;
  usedBytes = 0;
  peakBytes = 0;
  writtenBytes = 0;
  files = 0;
  refused = 0;
  private readonly io: Pick<DirectoryIo, 'open' | 'unlink'>;
  private readonly random: Random;
  private readonly limit: SpaceLimit;

  constructor(io: Pick<DirectoryIo, 'open' | 'unlink'>, random: Random, options: SpillOptions) {
    const { filesMax = openFilesMax, holdBytes } = options;
    this.io = io;
    this.random = random;
    this.limit = new SpaceLimit(options);
    this.filesMax = filesMax;
    this.holdBytes = holdBytes;
  }

  get limitBytes(): number {
    return this.limit.bytes;
  }

  /**
   * Opens a file; returns `undefined` if the maximum number of files is open. Throws a StorageError if the directory cannot contain a new
   * file.
   */
  open(): SpillFile | undefined {
    if (this.files >= this.filesMax) {
      this.refused++;
      return undefined;
    }
    const file = this.unnamedFile();
    this.files++;
    return new SpillFile(this, file);
  }

  /** Reserves bytes. Returns false and reserves nothing if they exceed the limit. Throws a StorageError if the free space cannot be measured. */
  take(bytes: number): boolean {
    if (!this.limit.admits(bytes, this.usedBytes)) {
      this.refused++;
      return false;
    }
    this.usedBytes += bytes;
    this.writtenBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    return true;
  }

  /** Creates and closes an empty file, and measures the free space. Throws a StorageError if one of them fails. */
  check(): void {
    this.unnamedFile().close();
    this.limit.measure(this.usedBytes);
  }

  /** Releases the bytes of a file that has been closed. */
  closed(bytes: number): void {
    this.usedBytes -= bytes;
    this.files--;
  }

  private unnamedFile(): IoFile {
    for (;;) {
      const name = `svc-spill-${this.random.fill(new Uint8Array(8)).toHex()}`;
      try {
        const file = this.io.open(name, 'create');
        if (file === undefined) continue;
        this.io.unlink(name);
        return file;
      } catch (error) {
        throw storageError('create', name, error);
      }
    }
  }
}

/** Opens the space and creates its directory if it does not exist. Throws a StorageError if no file can be created in it. */
export function openSpillSpace(path: string, random: Random, options: SpillOptions): SpillSpace {
  const io = lasting(path, options.like);
  const freeBytes = options.freeBytes ?? (() => freeBytesAt(path));
  const space = new SpillSpace(io, random, { ...options, freeBytes });
  space.check();
  return space;
}

function made(path: string, like?: string): DirectoryIo {
  try {
    return systemDirectory(path, like);
  } catch (error) {
    throw storageError('make', path, error);
  }
}

/**
 * Creates the directory again if it has gone, as a cleaner of temporary files removes an empty one. The directory above it is never created:
 * it may be the place of an unmounted file system.
 */
function lasting(path: string, like?: string): Pick<DirectoryIo, 'open' | 'unlink'> {
  const io = made(path, like);
  const above = directoryAt(dirname(path));
  return {
    unlink: io.unlink,
    open(name, mode) {
      try {
        return io.open(name, mode);
      } catch (error) {
        if (!isMissing(error) || !above.makeDirectory(basename(path))) throw error;
        return io.open(name, mode);
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
