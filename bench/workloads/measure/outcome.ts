/** Times of one question and one engine, or the reason why there are none. */

export type Outcome =
  /** Milliseconds, one figure per round. Rounds of several engines with the same number ran one after the other. */
  { readonly times: readonly number[] } | { readonly problem: string };

/** One line of the result: a question, a load or an index build. */
export interface Row {
  readonly id: string;
  readonly name: string;
  /** Present if the figure is a rate: so many rows, or reads, per time. */
  readonly rows?: number;
  /** By engine. `alone` is svc with the same work and nothing beside it. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
  readonly gauge?: Gauge;
}

/** What the server needed while it answered. */
export interface Gauge {
  /** The longest wait for /livez, without the time in which no processor was free. */
  readonly livezMs: number;
  readonly peakMib: number;
  /** Bytes that read calls returned, from the page cache or the disk, per request. */
  readonly readMib: number;
}

export interface SizeReport {
  readonly rows: number;
  readonly storeMib: number;
  readonly table: readonly Row[];
}

export interface Report {
  readonly date: string;
  readonly workload: string;
  /** The smaller size first. */
  readonly sizes: readonly SizeReport[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >>> 1] as number;
}

export function timesOf(outcome: Outcome | undefined): readonly number[] | undefined {
  return outcome !== undefined && 'times' in outcome ? outcome.times : undefined;
}

/** How many times as long as `reference`: the median of the rounds in turn, because the speed of a shared machine drifts. */
export function ratioOf(row: Row, reference: string): number | undefined {
  const own = timesOf(row.outcomes['svc']);
  const other = timesOf(row.outcomes[reference]);
  if (own === undefined || other === undefined) return undefined;
  const rounds = Math.min(own.length, other.length);
  return median(own.slice(0, rounds).map((ms, round) => ms / (other[round] as number)));
}
