/**
 * Reads several key ranges one after the other, as one cursor. Each range is opened only when it is reached, so that only the ranges that are
 * read count as read.
 */

import type { Pending, YieldPolicy } from '#base';
import type { BlockSpan, Direction, EntryCursor, KeyRange, ReadView } from '#storage';

const nothing = new Uint8Array(0);
/** Finding the start of a range takes about as long as reading this many rows. */
const seekWork = 128;

export class RangesCursor implements EntryCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  private readonly view: ReadView;
  private readonly ranges: readonly KeyRange[];
  private readonly direction: Direction;
  private readonly pace: Pick<YieldPolicy, 'pause'>;
  private current: EntryCursor | undefined;
  private at = 0;

  /** `ranges` must be in reading order. */
  constructor(
    view: ReadView,
    ranges: readonly KeyRange[],
    direction: Direction,
    pace: Pick<YieldPolicy, 'pause'>,
  ) {
    this.pace = pace;
    this.view = view;
    this.ranges = ranges;
    this.direction = direction;
  }

  next(): boolean | Pending {
    for (;;) {
      if (this.current === undefined) {
        // Without this yield, thousands of empty ranges would block the event loop.
        const wait = this.pace.pause(seekWork);
        if (wait !== undefined) return wait;
      }
      const current = this.current ?? this.open();
      if (current === undefined) return false;
      const step = current.next();
      if (step === true) this.show(current);
      if (step !== false) return step;
      current.close();
      this.current = undefined;
    }
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const current = this.current as EntryCursor;
    const run = current.takeRun?.(max, below);
    if (run !== undefined) this.show(current);
    return run;
  }

  takeCount(below?: Uint8Array): number {
    const current = this.current as EntryCursor;
    const entries = current.takeCount?.(below) ?? 0;
    if (entries > 0) this.show(current);
    return entries;
  }

  close(): void {
    this.current?.close();
    this.current = undefined;
    this.at = this.ranges.length;
  }

  private open(): EntryCursor | undefined {
    const range = this.ranges[this.at++];
    if (range !== undefined) this.current = this.view.scan(range, this.direction);
    return this.current;
  }

  private show(current: EntryCursor): void {
    this.key = current.key;
    this.keyFrom = current.keyFrom;
    this.keyTo = current.keyTo;
    this.value = current.value;
    this.valueFrom = current.valueFrom;
    this.valueTo = current.valueTo;
  }
}
