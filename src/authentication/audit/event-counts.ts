/** Counts events per source, so that each source has at most one line at its first event and one a minute later in the audit log. */

interface Counted<T> {
  /** The last event. */
  readonly event: T;
  readonly count: number;
}

/** How events of one kind are counted. */
interface Counting<T> {
  /** Returns the source of an event: its address or its principal. */
  readonly sourceOf: (event: T) => string;
  /** Returns the event without the members of its source. */
  readonly withoutSource: (event: T) => T;
}

const sourcesMax = 1000;

export class EventCounts<T> {
  private readonly counting: Counting<T>;
  private readonly counts = new Map<string, Counted<T>>();
  /** The events of further sources are counted together, so that an attack cannot replace the whole log. */
  private others: Counted<T> | undefined;

  constructor(counting: Counting<T>) {
    this.counting = counting;
  }

  /** Returns whether the event needs a line now: it is the first one of its source in this minute. */
  add(event: T): boolean {
    const source = this.counting.sourceOf(event);
    const known = this.counts.get(source);
    if (known !== undefined) {
      this.counts.set(source, { event, count: known.count + 1 });
      return false;
    }
    if (this.counts.size < sourcesMax) {
      this.counts.set(source, { event, count: 0 });
      return true;
    }
    const count = (this.others?.count ?? 0) + 1;
    this.others = { event: this.counting.withoutSource(event), count };
    return false;
  }

  /** Returns the events that have no line yet, and starts the next minute. */
  take(): readonly Counted<T>[] {
    const counted = [...this.counts.values()].filter(({ count }) => count > 0);
    const { others } = this;
    this.counts.clear();
    this.others = undefined;
    return others === undefined ? counted : [...counted, others];
  }
}
