/** How long each operator of a statement worked, and how often it was asked. */

import type { Clock } from '#base';
import type { RelationPlan } from '#planner';
import type { Operator } from '../operators/operator.ts';
import type { Site } from '../site.ts';

const operatorsMax = 256;

/** Times in milliseconds; waits between two calls are nobody's. */
export interface OperatorRecord {
  readonly site: Site;
  /** Which relation of the query its rows are; absent where that is not known. */
  readonly part: string | undefined;
  /** That asked first; undefined for a root, and for what nobody has asked. */
  parent: OperatorRecord | undefined;
  /** How often it was opened: once, or anew for rows of another relation. */
  opens: number;
  calls: number;
  /** When it was first at work, and when last, by the steady clock; undefined for one that never was. */
  firstMs: number | undefined;
  lastMs: number;
  /** Something was thrown out of it. */
  hasFailed: boolean;
  /** Of opening, those below included. */
  openMs: number;
  /** Of all calls, those below included. */
  inclusiveMs: number;
  /** Of those below. */
  belowMs: number;
  /** The last run came to its end. */
  isComplete: boolean;
  /** Entries that its cursors stood on, and reads by key. */
  entries: number;
  gets: number;
  /** Reads by key that were waited for at the same time; 1 where none was. */
  getsAtOnceMax: number;
  /** Being asked right now. */
  depth: number;
  waiting: number;
}

export class OperatorTrace {
  readonly records: OperatorRecord[] = [];
  dropped = 0;
  /** Of operators that no other one asked. */
  rootsMs = 0;
  /** That is at work. */
  current: OperatorRecord | undefined;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Operators know each other by their classes, so this one stays itself, with its own calls replaced. */
  watch(operator: Operator, { part }: RelationPlan): void {
    if (this.records.length === operatorsMax) {
      this.dropped++;
      return;
    }
    const record = recordOf(operator.site, part);
    this.records.push(record);
    const { open, next, close } = operator;
    operator.open = () => {
      record.opens++;
      record.isComplete = false;
      record.openMs += this.time(record, () => open.call(operator)).ms;
    };
    operator.next = (wanted) => {
      record.calls++;
      const { value } = this.time(record, () => next.call(operator, wanted));
      if (value === undefined) record.isComplete = true;
      return value;
    };
    operator.close = () => void this.time(record, () => close.call(operator));
  }

  private time<T>(record: OperatorRecord, work: () => T): { readonly value: T; ms: number } {
    const asker = this.current;
    const from = this.clock.monotonicMs();
    const outcome = { value: undefined as T, ms: 0 };
    this.current = record;
    record.parent ??= asker === record ? undefined : asker;
    record.depth++;
    record.firstMs ??= from;
    let isDone = false;
    try {
      (outcome as { value: T }).value = work();
      isDone = true;
      return outcome;
    } finally {
      record.depth--;
      record.hasFailed ||= !isDone;
      this.current = asker;
      record.lastMs = this.clock.monotonicMs();
      outcome.ms = record.lastMs - from;
      // Asked by itself, it is counted already.
      if (record.depth === 0) {
        record.inclusiveMs += outcome.ms;
        if (asker === undefined) this.rootsMs += outcome.ms;
        else asker.belowMs += outcome.ms;
      }
    }
  }
}

function recordOf(site: Site, part: string | undefined): OperatorRecord {
  return {
    site,
    part,
    parent: undefined,
    opens: 0,
    calls: 0,
    firstMs: undefined,
    lastMs: 0,
    hasFailed: false,
    openMs: 0,
    inclusiveMs: 0,
    belowMs: 0,
    isComplete: false,
    entries: 0,
    gets: 0,
    getsAtOnceMax: 0,
    depth: 0,
    waiting: 0,
  };
}
