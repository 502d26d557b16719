/** A byte-bounded cache with the CLOCK policy: a hit only sets a flag. */

/**
 * The entries of one owner (an SSTable), which finds an entry by index instead of by hash. The element of an evicted entry is `undefined`
 * again.
 */
export type CacheShelf<T> = (CacheEntry<T> | undefined)[];

export class CacheEntry<T> {
  readonly content: T;
  readonly bytes: number;
  readonly shelf: CacheShelf<T>;
  readonly index: number;
  /** Set by the owner on each hit. */
  isReferenced = true;
  /** Position in the ring of its pool. */
  position = 0;

  constructor(content: T, bytes: number, shelf: CacheShelf<T>, index: number) {
    this.content = content;
    this.bytes = bytes;
    this.shelf = shelf;
    this.index = index;
  }
}

/** One in so many entries that are read for few of their rows enters a full pool. */
const admittedEvery = 8;

export class CachePool {
  readonly capacityBytes: number;
  usedBytes = 0;
  /** Counted by the owners, which look up entries without calling the pool. */
  hits = 0;
  misses = 0;
  inserts = 0;
  evictions = 0;
  private readonly ring: CacheEntry<unknown>[] = [];
  private hand = 0;
  private asked = 0;
  private readonly left: (bytes: number) => void;

  /** `left` is called with the size in bytes of each entry that is removed. */
  constructor(capacityBytes: number, left: (bytes: number) => void = () => {}) {
    this.capacityBytes = capacityBytes;
    this.left = left;
  }

  get entries(): number {
    return this.ring.length;
  }

  /**
   * Returns whether to insert an entry of which few rows are needed: if there is room for it, and otherwise one of eight entries. An entry that is
   * needed often enters after some reads; an entry that is needed once mostly evicts nothing.
   */
  admits(bytes: number): boolean {
    return this.usedBytes + bytes <= this.capacityBytes || ++this.asked % admittedEvery === 0;
  }

  /**
   * Inserts `content` on its owner's shelf. An entry with `isReferenced` false is evicted before entries that were hit. The newest entry is
   * never evicted by its own insertion, so the caller that waited for it finds it.
   */
  insert<T>(
    content: T,
    bytes: number,
    shelf: CacheShelf<T>,
    index: number,
    isReferenced = true,
  ): void {
    const before = shelf[index];
    if (before !== undefined) this.remove(before);
    const entry = new CacheEntry(content, bytes, shelf, index);
    this.makeRoom(bytes);
    entry.isReferenced = isReferenced;
    shelf[index] = entry;
    entry.position = this.ring.length;
    this.ring.push(entry as CacheEntry<unknown>);
    this.usedBytes += bytes;
    this.inserts++;
  }

  /** Removes all entries on `shelf`, whose owner no longer exists. */
  clear<T>(shelf: CacheShelf<T>): void {
    for (const entry of shelf) if (entry !== undefined) this.remove(entry);
  }

  private makeRoom(bytes: number): void {
    while (this.ring.length > 0 && this.usedBytes + bytes > this.capacityBytes) {
      if (this.hand >= this.ring.length) this.hand = 0;
      const entry = this.ring[this.hand] as CacheEntry<unknown>;
      if (entry.isReferenced) {
        entry.isReferenced = false;
        this.hand++;
      } else {
        this.remove(entry);
        this.evictions++;
      }
    }
  }

  private remove<T>(entry: CacheEntry<T>): void {
    entry.shelf[entry.index] = undefined;
    this.usedBytes -= entry.bytes;
    this.left(entry.bytes);
    const last = this.ring.pop() as CacheEntry<unknown>;
    if ((last as unknown) === entry) return;
    this.ring[entry.position] = last;
    last.position = entry.position;
  }
}
