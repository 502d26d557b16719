/**
 * Parts in files of a local directory, bounded in bytes; the least recently used part is evicted first. Nothing here can fail a read: a
 * fault of the disk or of a file makes the part absent.
 */

import type { Clock } from '#base';
import type { DirectoryIo } from '../object/directory-io.ts';
import type { ObjectCacheCounters } from './options.ts';
import { encodePart, type Part, type PartHead, readHead, readPart } from './part-file.ts';

interface Kept {
  readonly part: Part;
  readonly fileBytes: number;
  /** Read on first use. */
  head: PartHead | undefined;
}

interface ShelfParts {
  readonly io: DirectoryIo;
  readonly clock: Clock;
  /** A directory of the tree that only this cache uses. */
  readonly directory: string;
  readonly bytesMax: number;
  /** Size of the parts in use. Parts of another size are deleted. */
  readonly partBytes: number;
  readonly counters: ObjectCacheCounters;
}

const temporaryPrefix = 'tmp-';
/** Nothing is stored for this time after a failed write to the disk. */
const pauseMs = 10_000;

export class PartShelf {
  usedBytes = 0;
  private readonly parts: ShelfParts;
  /** The cached parts by path, least recently used first. */
  private readonly kept = new Map<string, Kept>();
  private temporaries = 0;
  private pausedUntilMs = Number.NEGATIVE_INFINITY;

  /** Takes over the parts that an earlier process left. */
  constructor(parts: ShelfParts) {
    this.parts = parts;
    const { io, directory, partBytes } = parts;
    for (const name of [...io.entries(directory)].sort()) {
      const path = `${directory}/${name}`;
      const part = partOf(name, partBytes);
      const bytes = part && io.sizeOf(path);
      if (part === undefined || bytes === undefined) this.unlink(path);
      else this.add(path, { part, fileBytes: bytes, head: undefined });
    }
    this.makeRoom(0);
  }

  /** Number of cached parts. */
  get count(): number {
    return this.kept.size;
  }

  has(part: Part): boolean {
    return this.kept.has(this.pathOf(part));
  }

  /** Returns the size of the object if this part is cached. */
  objectBytes(part: Part): number | undefined {
    return this.attempt(part, (kept, path) => this.headOf(kept, path)?.objectBytes);
  }

  /** Fills `target` with the bytes of the part from `from` on. Returns false if the part is not cached. */
  read(part: Part, from: number, target: Uint8Array): boolean {
    const { io } = this.parts;
    const isRead = this.attempt(part, (kept, path) => {
      const head = this.headOf(kept, path);
      const file = head && io.open(path, 'read');
      if (head === undefined || file === undefined) return undefined;
      try {
        return readPart(file, part, head, { from, target }) ? true : undefined;
      } finally {
        file.close();
      }
    });
    return isRead ?? false;
  }

  /** Stores the part. Resolves when the part is in its file, or cannot be stored. */
  async store(part: Part, objectBytes: number, bytes: Uint8Array): Promise<void> {
    const { io, clock, directory, bytesMax, counters } = this.parts;
    if (this.has(part) || clock.monotonicMs() < this.pausedUntilMs) return;
    const file = encodePart(part, objectBytes, bytes);
    if (file.length > bytesMax) return;
    this.makeRoom(file.length);
    const temporary = `${directory}/${temporaryPrefix}${this.temporaries++}`;
    try {
      const created = io.open(temporary, 'create');
      if (created === undefined) throw new Error('a temporary name is taken');
      try {
        await created.write(file, 0);
      } finally {
        created.close();
      }
      const path = this.pathOf(part);
      io.rename(temporary, path);
      if (!this.kept.has(path)) this.add(path, { part, fileBytes: file.length, head: undefined });
      counters.stored++;
    } catch {
      counters.failures++;
      this.pausedUntilMs = clock.monotonicMs() + pauseMs;
      this.unlink(temporary);
    }
  }

  /** Removes all parts of these objects. */
  forget(objects: ReadonlySet<string>): void {
    for (const [path, { part }] of this.kept) if (objects.has(part.object)) this.drop(path);
  }

  private pathOf({ object, number }: Part): string {
    const { directory, partBytes } = this.parts;
    return `${directory}/${object.replaceAll('/', '~')}.${partBytes}.${number}`;
  }

  /** Returns the result of `action`, which uses the part. If it is `undefined`, the part is unusable and is removed. */
  private attempt<T>(part: Part, action: (kept: Kept, path: string) => T | undefined) {
    const path = this.pathOf(part);
    const kept = this.kept.get(path);
    if (kept === undefined) return undefined;
    this.kept.delete(path);
    this.kept.set(path, kept);
    const { counters } = this.parts;
    try {
      const answer = action(kept, path);
      if (answer !== undefined) return answer;
      counters.damaged++;
      this.drop(path);
      return undefined;
    } catch {
      counters.failures++;
      this.drop(path);
      return undefined;
    }
  }

  private headOf(kept: Kept, path: string): PartHead | undefined {
    if (kept.head !== undefined) return kept.head;
    const file = this.parts.io.open(path, 'read');
    if (file === undefined) return undefined;
    try {
      kept.head = readHead(file, kept.part);
      return kept.head;
    } finally {
      file.close();
    }
  }

  private add(path: string, kept: Kept): void {
    this.kept.set(path, kept);
    this.usedBytes += kept.fileBytes;
  }

  private makeRoom(bytes: number): void {
    for (const path of this.kept.keys()) {
      if (this.usedBytes + bytes <= this.parts.bytesMax) return;
      this.drop(path);
      this.parts.counters.evicted++;
    }
  }

  private drop(path: string): void {
    const kept = this.kept.get(path);
    if (kept === undefined) return;
    this.kept.delete(path);
    this.usedBytes -= kept.fileBytes;
    this.unlink(path);
  }

  private unlink(path: string): void {
    try {
      this.parts.io.unlink(path);
    } catch {
      this.parts.counters.failures++;
    }
  }
}

/** Returns the part with this file name; `undefined` if the name is not that of a part of that size. */
function partOf(name: string, partBytes: number): Part | undefined {
  const match = /^(.+)\.([1-9]\d*)\.(0|[1-9]\d{0,8})$/.exec(name);
  if (match === null || Number(match[2]) !== partBytes) return undefined;
  return { object: (match[1] as string).replaceAll('~', '/'), number: Number(match[3]) };
}
