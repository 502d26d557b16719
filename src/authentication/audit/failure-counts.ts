/** Counts failures per address, so that each address has at most one line a minute in the audit log. */

import { blocksOf } from '../request/address-blocks.ts';
import type { RefusedRequest } from '../request/request-check.ts';

interface Counted {
  readonly failure: RefusedRequest;
  readonly count: number;
}

const addressesMax = 1000;
/** The failures of further addresses are counted together, so that an attack cannot replace the whole log. */
const others = 'others';

export class FailureCounts {
  private readonly counts = new Map<string, Counted>();

  /** Returns whether the failure needs a line now: it is the first one of its address in this minute. */
  add(failure: RefusedRequest): boolean {
    const key = blocksOf(failure.address)[0]?.key ?? '';
    const known = this.counts.get(key);
    if (known !== undefined) {
      this.counts.set(key, { failure, count: known.count + 1 });
      return false;
    }
    if (this.counts.size < addressesMax) {
      this.counts.set(key, { failure, count: 0 });
      return true;
    }
    const count = this.counts.get(others)?.count ?? 0;
    this.counts.set(others, { failure: { ...failure, address: others }, count: count + 1 });
    return false;
  }

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  /** Returns the failures that have no line yet, and starts the next minute. */
  take(): readonly Counted[] {
    const counted = [...this.counts.values()].filter(({ count }) => count > 0);
    this.counts.clear();
    return counted;
  }
}
