/** The most frequent values: Space-Saving with 32 counters (Metwally, Agrawal and El Abbadi). */

const capacity = 32;

interface Counter<Value> {
  readonly hash: number;
  readonly value: Value;
  frequency: number;
  /** The part of `frequency` that may belong to earlier values of the counter. */
  readonly error: number;
}

/** A value that occurred at most `frequency` times and at least `frequency - maximumError` times. */
export interface Common<Value> {
  readonly value: Value;
  readonly frequency: number;
  readonly maximumError: number;
}

export class MostCommon<Value> {
  private readonly counters = new Map<number, Counter<Value>>();

  /** Counts a value that has a counter. Returns false if it has none; the caller then calls `add`. */
  count(hash: number): boolean {
    const counter = this.counters.get(hash);
    if (counter === undefined) return false;
    counter.frequency++;
    return true;
  }

  /** Adds a value that has no counter. If all counters are used, it replaces the least frequent value. */
  add(hash: number, value: Value): void {
    const error = this.counters.size < capacity ? 0 : this.dropLeast();
    this.counters.set(hash, { hash, value, frequency: error + 1, error });
  }

  /** The values, most frequent first. */
  get values(): readonly Common<Value>[] {
    return [...this.counters.values()]
      .sort((a, b) => b.frequency - a.frequency || a.error - b.error)
      .map(({ value, frequency, error }) => ({ value, frequency, maximumError: error }));
  }

  private dropLeast(): number {
    let least: Counter<Value> | undefined;
    for (const counter of this.counters.values()) {
      if (least === undefined || counter.frequency < least.frequency) least = counter;
    }
    if (least === undefined) return 0;
    this.counters.delete(least.hash);
    return least.frequency;
  }
}
