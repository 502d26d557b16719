/**
 * The headers of recently accepted requests. Only accepted headers are stored. The least recently used ones are removed at either
 * limit.
 */

import { timingSafeEqual } from 'node:crypto';

export type IsEqual = (one: Uint8Array, other: Uint8Array) => boolean;

interface Entry<T> {
  readonly hash: bigint;
  readonly header: Uint8Array;
  /** Shared memory of the length of the header, for a header that is compared with it. */
  readonly scratch: Buffer;
  readonly bytes: number;
  value: T;
  older: Entry<T> | undefined;
  newer: Entry<T> | undefined;
}

const entriesMax = 10_000;
const bytesMax = 16 << 20;
/** Estimated size of an entry: a part for its objects, and one for each character, which the claims of a token repeat. */
const entryBytes = 1024;
const bytesPerCharacter = 3;
/** The server refuses longer headers. */
const headerLengthMax = 16_384;

export class CredentialCache<T> {
  private readonly seed: bigint;
  private readonly isEqual: IsEqual;
  private readonly entries = new Map<bigint, Entry<T>>();
  private readonly scratch = Buffer.alloc(headerLengthMax);
  private oldest: Entry<T> | undefined;
  private newest: Entry<T> | undefined;
  private bytes = 0;

  /** `seed` is random, so that a client cannot compute headers of equal hashes. */
  constructor(seed: bigint, isEqual: IsEqual = timingSafeEqual) {
    this.seed = seed;
    this.isEqual = isEqual;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Returns the value of exactly this header. `header` consists of printable ASCII characters and spaces. */
  find(header: string): T | undefined {
    const entry = this.entries.get(Bun.hash.wyhash(header, this.seed));
    if (entry === undefined || entry.header.length !== header.length) return undefined;
    entry.scratch.write(header, 'latin1');
    if (!this.isEqual(entry.scratch, entry.header)) return undefined;
    if (entry !== this.newest) {
      this.unlink(entry);
      this.linkNewest(entry);
    }
    return entry.value;
  }

  set(header: string, value: T): void {
    if (header.length > headerLengthMax) return;
    const hash = Bun.hash.wyhash(header, this.seed);
    this.remove(this.entries.get(hash));
    const bytes = entryBytes + header.length * bytesPerCharacter;
    const entry: Entry<T> = {
      hash,
      header: Buffer.from(header, 'latin1'),
      scratch: this.scratch.subarray(0, header.length),
      bytes,
      value,
      older: undefined,
      newer: undefined,
    };
    this.entries.set(hash, entry);
    this.bytes += bytes;
    this.linkNewest(entry);
    while (this.entries.size > entriesMax || this.bytes > bytesMax) this.remove(this.oldest);
  }

  delete(header: string): void {
    this.remove(this.entries.get(Bun.hash.wyhash(header, this.seed)));
  }

  private remove(entry: Entry<T> | undefined): void {
    if (entry === undefined) return;
    this.entries.delete(entry.hash);
    this.bytes -= entry.bytes;
    this.unlink(entry);
  }

  private unlink(entry: Entry<T>): void {
    const { older, newer } = entry;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
  }

  private linkNewest(entry: Entry<T>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
  }
}
