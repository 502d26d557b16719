/**
 * Which work is done in which turn of the event loop. Point programs run as soon as they come. All other work shares one slice a turn, which comes after
 * everything that was ready in the turn; heavy work goes behind the rest, but is never left out for long. While there are points, such slices
 * are short and leave them more time than they take.
 */

import type { World } from '#base';
import { type Budget, sliceMs } from '#executor';

type Lane = 'query' | 'heavy';

/** Heavy work gets a slice at least so often, whatever else there is. */
const heavyEveryMs = 25;
/** Points count as active for so long after the last of them. */
const activeMs = 10;
/** Length of a slice beside active points. */
const shortSliceMs = 2;
/** How much time active points are left for each millisecond of a slice. */
const leftToPoints = { query: 1, heavy: 1.5 } as const;

interface Place {
  readonly lane: Lane;
  readonly resolve: (sliceMs: number) => void;
}

export class Turns {
  /** When a point program came last, by the steady clock: written by those that admit them. */
  lastPointMs = Number.NEGATIVE_INFINITY;
  private readonly world: World;
  private readonly lanes: Readonly<Record<Lane, Place[]>> = { query: [], heavy: [] };
  /** Work of this turn that was no point. */
  private spentMs = 0;
  private isTicking = false;
  /** Somebody was told to go on, and has not stopped yet. */
  private working: Lane | undefined;
  private lastHeavyMs = Number.NEGATIVE_INFINITY;
  /** No slice begins before, unless it is due. */
  private pauseUntilMs = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** How many wait for a slice. */
  get waiting(): number {
    return this.lanes.query.length + this.lanes.heavy.length;
  }

  /** For a query that begins: undefined when the turn has time for it, else like `next`. */
  begin(budget: Budget): Promise<number> | undefined {
    const isFree = this.lanes.query.length === 0 && this.spentMs < sliceMs;
    return isFree ? undefined : this.next('query', budget);
  }

  /** Resolves with the length of the slice when the work may go on; never, the place given up, when it is ended before. */
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

  /** A slice, or a first stretch of work that was no point, is over. */
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
    // Work is synchronous up to its next wait: in a new turn nobody is in the middle of a slice.
    this.working = undefined;
    this.pump();
  }

  private pump(): void {
    if (this.waiting === 0) return;
    // Whatever happens to the work that goes on now, the others get their turn.
    this.tickSoon();
    if (this.working !== undefined || this.spentMs >= sliceMs) return;
    const now = this.world.clock.monotonicMs();
    const place = this.choose(now);
    if (place === undefined) return;
    this.working = place.lane;
    if (place.lane === 'heavy') this.lastHeavyMs = now;
    place.resolve(this.hasPoints(now) ? shortSliceMs : sliceMs - this.spentMs);
  }

  /** Heavy work has a turn for itself: after a slice of others it waits for the next one, unless it is due. */
  private choose(now: number): Place | undefined {
    const { query, heavy } = this.lanes;
    const isDue = heavy.length > 0 && now - this.lastHeavyMs >= heavyEveryMs;
    if (isDue) return heavy.shift();
    if (now < this.pauseUntilMs) return undefined;
    if (query.length > 0) return query.shift();
    return this.spentMs === 0 ? heavy.shift() : undefined;
  }
}
