/** Hides the tombstones of a single source, which needs no merge. */

import { isPending, type Pending } from '#base';
import type { EntryCursor } from '../contract/store.ts';
import type { BlockSpan } from '../contract/stored-block.ts';
import { emptyCursor } from './empty-cursor.ts';
import type { InternalCursor } from './internal-cursor.ts';
import { passedMax, passedOver } from './passed-over.ts';

const nothing = new Uint8Array(0);

export class LiveCursor implements EntryCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  /** A closed cursor has none: another scan may have taken it. */
  private source: InternalCursor;
  /** Tombstones skipped since the last yield. */
  private passed = 0;

  constructor(source: InternalCursor) {
    this.source = source;
  }

  next(): boolean | Pending {
    const source = this.source;
    for (;;) {
      const moved = source.next();
      if (!moved || isPending(moved)) return moved;
      if (!source.isTombstone) break;
      if (++this.passed < passedMax) continue;
      this.passed = 0;
      return passedOver;
    }
    this.key = source.key;
    this.keyFrom = source.keyFrom;
    this.keyTo = source.keyTo;
    this.value = source.value;
    this.valueFrom = source.valueFrom;
    this.valueTo = source.valueTo;
    return true;
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const run = this.source.takeRun?.(max, below);
    if (run === undefined) {
      // A source that prefers runs has not set the value until now.
      this.value = this.source.value;
      this.valueFrom = this.source.valueFrom;
      this.valueTo = this.source.valueTo;
      return undefined;
    }
    this.key = this.source.key;
    this.keyFrom = this.source.keyFrom;
    this.keyTo = this.source.keyTo;
    return run;
  }

  takeCount(below?: Uint8Array): number {
    const entries = this.source.takeCount?.(below) ?? 0;
    if (entries === 0) return 0;
    this.key = this.source.key;
    this.keyFrom = this.source.keyFrom;
    this.keyTo = this.source.keyTo;
    return entries;
  }

  preferRuns(): void {
    this.source.preferRuns?.();
  }

  close(): void {
    this.end();
  }

  /** Closes the cursor, and returns its source. */
  end(): InternalCursor {
    const { source } = this;
    source.close();
    this.source = emptyCursor;
    return source;
  }
}
