/** A sequence of cursors. Each is opened when the previous one has ended. */

import { isPending, type Pending } from '#base';
import type { BlockSpan } from '../contract/stored-block.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';

const nothing = new Uint8Array(0);

export class ConcatCursor<T> implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  private readonly parts: readonly T[];
  private readonly open: (part: T) => InternalCursor;
  private current: InternalCursor = emptyCursor;
  private opened = 0;
  private prefersRuns = false;

  constructor(parts: readonly T[], open: (part: T) => InternalCursor) {
    this.parts = parts;
    this.open = open;
  }

  next(): boolean | Pending {
    for (;;) {
      const moved = this.current.next();
      if (isPending(moved)) return moved;
      if (moved) {
        this.show(this.current);
        return true;
      }
      if (this.opened === this.parts.length) return false;
      this.current.close();
      this.current = this.open(this.parts[this.opened++] as T);
      if (this.prefersRuns) this.current.preferRuns?.();
    }
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const run = this.current.takeRun?.(max, below);
    // Also without a run: a cursor that prefers runs has not set the value until now.
    this.show(this.current);
    return run;
  }

  takeCount(below?: Uint8Array): number {
    const entries = this.current.takeCount?.(below) ?? 0;
    if (entries > 0) this.show(this.current);
    return entries;
  }

  preferRuns(): void {
    this.prefersRuns = true;
    this.current.preferRuns?.();
  }

  close(): void {
    this.current.close();
    this.current = emptyCursor;
    this.opened = this.parts.length;
  }

  private show(from: InternalCursor): void {
    this.key = from.key;
    this.keyFrom = from.keyFrom;
    this.keyTo = from.keyTo;
    this.value = from.value;
    this.valueFrom = from.valueFrom;
    this.valueTo = from.valueTo;
    this.sequence = from.sequence;
    this.isTombstone = from.isTombstone;
  }
}
