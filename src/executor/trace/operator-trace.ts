/** Records the working time and the calls of each operator of a statement. */

import type { Clock } from '#base';
import type { RelationPlan } from '#planner';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Operator } from '../operators/operator.ts';

const operatorsMax = 256;

/** Work of one operator, with times in milliseconds. Waits between two calls are not counted for any operator. */
export interface OperatorRecord {
  readonly site: OperatorProfile;
  /** The relation of the query that the operator's rows belong to; absent if that is not known. */
  readonly part: string | undefined;
  /** The operator that called this one first; undefined for a root, and for an operator that was never called. */
  parent: OperatorRecord | undefined;
  /** Number of times that it was opened: once, or again for each row of another relation. */
  opens: number;
  calls: number;
  /** Start of its first work and end of its last work, by the monotonic clock. `firstMs` is undefined if it never worked. */
  firstMs: number | undefined;
  lastMs: number;
  /** Whether it has thrown an error. */
  hasFailed: boolean;
  /** Time of opening, including the operators below. */
  openMs: number;
  /** Time of all calls, including the operators below. */
  inclusiveMs: number;
  /** Time of the operators below. */
  belowMs: number;
  /** Whether the last run reached its end. */
  isComplete: boolean;
  /** Entries that its cursors passed, and reads by key. */
  entries: number;
  gets: number;
  /** Maximum number of reads by key that it awaited at the same time; 1 if it awaited none. */
  getsAtOnceMax: number;
  /** Number of its calls that are running. */
  depth: number;
  waiting: number;
}

export class OperatorTrace {
  readonly records: OperatorRecord[] = [];
  dropped = 0;
  /** Time of operators that no other operator called. */
  rootsMs = 0;
  /** The operator that is working. */
  current: OperatorRecord | undefined;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Replaces the methods of the operator object by measured ones. The operator is not wrapped, because operators check the classes of each other.
   */
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
    const { nextCount } = operator;
    if (nextCount !== undefined) {
      operator.nextCount = () => {
        record.calls++;
        const { value } = this.time(record, () => nextCount.call(operator));
        if (value === undefined) record.isComplete = true;
        return value;
      };
    }
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
      // Time of a nested call of the same operator is part of the outer call.
      if (record.depth === 0) {
        record.inclusiveMs += outcome.ms;
        if (asker === undefined) this.rootsMs += outcome.ms;
        else asker.belowMs += outcome.ms;
      }
    }
  }
}

function recordOf(site: OperatorProfile, part: string | undefined): OperatorRecord {
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
