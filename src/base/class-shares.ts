/**
 * Divides a bounded cache among the classes of its entries, so that a class that adds many entries evicts its own.
 *
 * While one class has all entries, it may use the whole cache. Otherwise the share of each class is a quarter, or with more than four
 * classes the cache divided by their number. A class above its share does not grow. If the cache is full, a class within its share
 * takes space from the class that has most: this class is above its share.
 */

interface CacheAmount {
  readonly bytes: number;
  readonly entries: number;
}

const classesWithQuarters = 4;
const nothing: CacheAmount = { bytes: 0, entries: 0 };

export class ClassShares {
  private readonly limits: CacheAmount;
  /** The classes that have entries. */
  private readonly held = new Map<string, CacheAmount>();
  private total: CacheAmount = nothing;

  constructor(limits: CacheAmount) {
    this.limits = limits;
  }

  added(of: string, bytes: number): void {
    this.change(of, { bytes, entries: 1 });
  }

  removed(of: string, bytes: number): void {
    this.change(of, { bytes: -bytes, entries: -1 });
  }

  /**
   * Returns a function that returns the class that must lose an entry before an entry of the class `of` fits, or
   * `undefined` if it fits now. Returns `undefined` if the entry is larger than the share of its class.
   */
  room(of: string, bytes: number): (() => string | undefined) | undefined {
    const before = this.amountOf(of);
    if (bytes > this.shareOf(of).bytes) return undefined;
    const entry = { bytes, entries: 1 };
    return () => {
      const own = sum(this.amountOf(of), entry);
      if (isOver(own, greater(this.shareOf(of), before))) return of;
      const resource = overflow(sum(this.total, entry), this.limits);
      return resource === undefined ? undefined : this.largest(of, own, resource);
    };
  }

  private change(of: string, by: CacheAmount): void {
    const held = sum(this.amountOf(of), by);
    if (held.entries === 0) this.held.delete(of);
    else this.held.set(of, held);
    this.total = sum(this.total, by);
  }

  private amountOf(of: string): CacheAmount {
    return this.held.get(of) ?? nothing;
  }

  /** A share has at least one entry. */
  private shareOf(of: string): CacheAmount {
    const classes = this.held.size + (this.held.has(of) ? 0 : 1);
    if (classes === 1) return this.limits;
    const parts = Math.max(classesWithQuarters, classes);
    const { bytes, entries } = this.limits;
    return { bytes: bytes / parts, entries: Math.max(1, entries / parts) };
  }

  private largest(of: string, own: CacheAmount, resource: keyof CacheAmount): string {
    let found = of;
    let most = this.held.has(of) ? own[resource] : 0;
    for (const [other, held] of this.held) {
      if (held[resource] <= most) continue;
      found = other;
      most = held[resource];
    }
    return found;
  }
}

function sum(one: CacheAmount, other: CacheAmount): CacheAmount {
  return { bytes: one.bytes + other.bytes, entries: one.entries + other.entries };
}

function greater(one: CacheAmount, other: CacheAmount): CacheAmount {
  return {
    bytes: Math.max(one.bytes, other.bytes),
    entries: Math.max(one.entries, other.entries),
  };
}

function isOver(amount: CacheAmount, limit: CacheAmount): boolean {
  return overflow(amount, limit) !== undefined;
}

function overflow(amount: CacheAmount, limit: CacheAmount): keyof CacheAmount | undefined {
  if (amount.bytes > limit.bytes) return 'bytes';
  return amount.entries > limit.entries ? 'entries' : undefined;
}
