/**
 * Schedules work in event-loop iterations. Point reads run immediately. All other work shares one time slice per
 * iteration, which follows all work that was ready in the iteration. Long-running work comes last, but is never delayed
 * for long. While point reads are active, these slices are short and leave the point reads more time than they take.
 */

import type { World } from '#base';
import { type Budget, sliceMs } from '#executor';

type Lane = 'query' | 'heavy';

/** Maximum time between two slices of long-running work, regardless of other work. */
const heavyEveryMs = 25;
/** Time after a point read during which point reads count as active. */
const activeMs = 10;
/** Length of a slice while point reads are active. */
const shortSliceMs = 2;
/** Time that active point reads get for each millisecond of a slice. */
const leftToPoints = { query: 1, heavy: 1.5 } as const;

interface Place {
  readonly lane: Lane;
  readonly resolve: (sliceMs: number) => void;
}

export class TimeSlices {
  /** Arrival of the last point read on the monotonic clock. Set by the code that admits point reads. */
  lastPointMs = Number.NEGATIVE_INFINITY;
  private readonly world: World;
  private readonly lanes: Readonly<Record<Lane, Place[]>> = { query: [], heavy: [] };
  /** Time of this iteration spent on other work than point reads. */
  private spentMs = 0;
  private isTicking = false;
  /** The kind of work that has been resumed and has not stopped yet. */
  private working: Lane | undefined;
  private lastHeavyMs = Number.NEGATIVE_INFINITY;
  /** No slice begins before this time, unless long-running work is due. */
  private pauseUntilMs = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** Number of programs that wait for a slice. */
  get waiting(): number {
    return this.lanes.query.length + this.lanes.heavy.length;
  }

  /** Starts a query. Returns `undefined` if the iteration has time for it, and behaves like `next` otherwise. */
  begin(budget: Budget): Promise<number> | undefined {
    const isFree = this.lanes.query.length === 0 && this.spentMs < sliceMs;
    return isFree ? undefined : this.next('query', budget);
  }

  /**
   * Resolves with the length of the slice when the work may continue. If the work is ended first, it leaves the queue,
   * and the promise never settles.
   */
  next(lane: Lane, budget: Budget): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const place: Place = {
      lane,
      resolve: (lengthMs) => {
        forget();
        resolve(lengthMs);
      },
    };
    this.lanes[lane].push(place);
    const forget = budget.onEnd(() => this.remove(place));
    this.tickSoon();
    return promise;
  }

  /** Charges a finished slice, or a finished first piece of work that was not a point read, to the iteration. */
  worked(ms: number): void {
    this.spentMs += ms;
    const lane = this.working ?? 'query';
    this.working = undefined;
    const now = this.world.clock.monotonicMs();
    if (this.hasPoints(now)) this.pauseUntilMs = now + ms * leftToPoints[lane];
    if (this.waiting > 0) this.pump();
    else this.tickSoon();
  }

  private remove(place: Place): void {
    const places = this.lanes[place.lane];
    const at = places.indexOf(place);
    if (at >= 0) places.splice(at, 1);
  }

  private hasPoints(now: number): boolean {
    return now - this.lastPointMs < activeMs;
  }

  private tickSoon(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    void this.world.scheduler.yield().then(() => this.tick());
  }

  private tick(): void {
    this.isTicking = false;
    this.spentMs = 0;
    // Work is synchronous up to its next wait, so no slice is in progress at the start of an iteration.
    this.working = undefined;
    this.pump();
  }

  private pump(): void {
    if (this.waiting === 0) return;
    // The other programs get their slice even if the resumed work fails.
    this.tickSoon();
    if (this.working !== undefined || this.spentMs >= sliceMs) return;
    const now = this.world.clock.monotonicMs();
    const place = this.choose(now);
    if (place === undefined) return;
    this.working = place.lane;
    if (place.lane === 'heavy') this.lastHeavyMs = now;
    place.resolve(this.hasPoints(now) ? shortSliceMs : sliceMs - this.spentMs);
  }

  /**
   * Returns the next work. Long-running work gets a separate iteration: after a slice of other work it waits for the
   * next iteration, unless it is due.
   */
  private choose(now: number): Place | undefined {
    const { query, heavy } = this.lanes;
    const isDue = heavy.length > 0 && now - this.lastHeavyMs >= heavyEveryMs;
    if (isDue) return heavy.shift();
    if (now < this.pauseUntilMs) return undefined;
    if (query.length > 0) return query.shift();
    return this.spentMs === 0 ? heavy.shift() : undefined;
  }
}
