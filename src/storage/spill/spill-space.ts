/**
 * Room on the local disk for what programs put down while they run: bounded for all of them together, in files without names, of which nothing
 * is left when the process ends, however that happens.
 */

import type { Random } from '#base';
import type { DirectoryIo, IoFile } from '../object/directory-io.ts';
import { systemDirectory } from '../object/system-directory.ts';
import { storageError } from '../object/trouble.ts';
import { SpillFile } from './spill-file.ts';

/** A file is a descriptor of the process, of which connections and the store need many. */
const openFilesMax = 512;

interface SpillCounts {
  readonly limitBytes: number;
  readonly filesMax: number;
  /** In files that are open. */
  usedBytes: number;
  peakBytes: number;
  /** Since the start. */
  writtenBytes: number;
  files: number;
  /** How often there was no room, for bytes or for a file. */
  refused: number;
}

interface SpillOptions {
  /** Of all files together. */
  readonly limitBytes: number;
  /** Open ones of all programs together; absent: 512. */
  readonly filesMax?: number;
  /** What an operator holds before it puts something down; absent: a part of what its program may hold. */
  readonly holdBytes?: number;
}

export class SpillSpace implements SpillCounts {
  readonly limitBytes: number;
  readonly filesMax: number;
  readonly holdBytes: number | undefined;
  usedBytes = 0;
  peakBytes = 0;
  writtenBytes = 0;
  files = 0;
  refused = 0;
  private readonly io: DirectoryIo;
  private readonly random: Random;

  constructor(io: DirectoryIo, random: Random, options: SpillOptions) {
    const { limitBytes, filesMax = openFilesMax, holdBytes } = options;
    this.io = io;
    this.random = random;
    this.limitBytes = limitBytes;
    this.filesMax = filesMax;
    this.holdBytes = holdBytes;
  }

  /** Undefined when as many files are open as may be. Throws a StorageError when the directory takes none. */
  open(): SpillFile | undefined {
    if (this.files >= this.filesMax) {
      this.refused++;
      return undefined;
    }
    const file = this.unnamedFile();
    this.files++;
    return new SpillFile(this, file);
  }

  /** False, and nothing taken, when there is not so much room. */
  take(bytes: number): boolean {
    if (this.usedBytes + bytes > this.limitBytes) {
      this.refused++;
      return false;
    }
    this.usedBytes += bytes;
    this.writtenBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    return true;
  }

  /** A file has been closed that took so much. */
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

/** Creates the directory if need be. Throws a StorageError when no file can be made in it. */
export function openSpillSpace(path: string, random: Random, options: SpillOptions): SpillSpace {
  const space = new SpillSpace(directoryAt(path), random, options);
  space.open()?.close();
  return space;
}

function directoryAt(path: string): DirectoryIo {
  try {
    return systemDirectory(path);
  } catch (error) {
    throw storageError('make', path, error);
  }
}
