/** A directory in memory for what programs put down: it knows which files are open, and can fail. */

import type { Random } from '#base';
import { SpillSpace } from '#storage';
import type { DirectoryIo, IoFile } from '../../src/storage/object/directory-io.ts';
import { seededRandom } from './seeded-random.ts';

export class SpillDirectory {
  /** Files that are not closed. */
  openFiles = 0;
  /** Names that have not been taken away. */
  readonly names = new Set<string>();
  writes = 0;
  reads = 0;
  /** What a write fails with, if not undefined. */
  writeFailure: string | undefined;
  /** Receives the ends of closes that are held back, if defined. */
  closes: (() => void)[] | undefined;
  /** Flips a bit of what is read. */
  readsWrong = false;

  space(options: { limitBytes?: number; filesMax?: number; holdBytes?: number } = {}): SpillSpace {
    const io = {
      open: (name: string) => this.create(name),
      unlink: (name: string) => this.names.delete(name),
    };
    return new SpillSpace(io as unknown as DirectoryIo, chance(), {
      limitBytes: 1 << 30,
      ...options,
    });
  }

  private create(name: string): IoFile {
    this.names.add(name);
    this.openFiles++;
    let content = new Uint8Array(1 << 16);
    let length = 0;
    let isOpen = true;
    const file: Pick<IoFile, 'write' | 'read' | 'discard'> = {
      write: async (source, position) => {
        await Promise.resolve();
        if (!isOpen) throw new Error('written after it was closed');
        this.writes++;
        if (this.writeFailure !== undefined) {
          throw Object.assign(new Error(this.writeFailure), { code: this.writeFailure });
        }
        length = Math.max(length, position + source.length);
        if (length > content.length) {
          const grown = new Uint8Array(2 * length);
          grown.set(content);
          content = grown;
        }
        content.set(source, position);
      },
      read: (target, position) => {
        if (!isOpen) throw new Error('read after it was closed');
        this.reads++;
        const part = content.subarray(position, Math.min(length, position + target.length));
        target.set(part);
        if (this.readsWrong) target[0] = (target[0] as number) ^ 1;
        return part.length;
      },
      discard: (closed) => {
        if (!isOpen) throw new Error('closed twice');
        isOpen = false;
        this.openFiles--;
        if (this.closes === undefined) closed();
        else this.closes.push(closed);
      },
    };
    return file as IoFile;
  }
}

function chance(): Random {
  const unit = seededRandom(7);
  return { unit, fill: (target) => target.map((_, i, all) => (all[i] = unit() * 256)) };
}
