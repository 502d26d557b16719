/**
 * Bodies on their way in. Each has a deadline by what it declares, and all together a bound: beyond it the body goes whose last bytes came longest ago,
 * so that clients who stopped sending make room for those who send. Time is counted in ticks of a timer: pauses of this process are no client's fault.
 */

import type { Scheduler, Timer } from '#base';
import { DatabaseError, fail } from '#failure';
import type { Activity } from './activity.ts';
import { Arrival } from './arrival.ts';
import type { EdgeCounters } from './counters.ts';

const tickMs = 1000;
const ticksAtLeast = 10;
const bytesPerTick = 64 << 10;
/** An answer takes some 50 µs. */
const refusalsOfTurn = 64;
/** The largest declared length of a body that is fetched in one go. */
export const smallBytesMax = 64 << 10;

interface ArrivingBodiesParts {
  readonly scheduler: Scheduler;
  readonly counters: EdgeCounters;
  /** A request whose body is on its way in is not being worked on. */
  readonly activity: Activity;
  /** Of one body; the caller has refused one that declares more. */
  readonly bodyBytesMax: number;
  /** Of all together. */
  readonly arrivingBytesMax: number;
}

interface Following {
  /** The client decides how it is cut; otherwise the network does. */
  readonly isChunked: boolean;
  readonly tooLarge: () => DatabaseError;
}

export class ArrivingBodies {
  private readonly parts: ArrivingBodiesParts;
  /** The one whose last bytes came longest ago first. */
  private readonly arrivals = new Set<Arrival>();
  private ticks = 0;
  /** More are overdue than one turn has refused. */
  private isRefusing = false;
  private timer: Timer | undefined;

  constructor(parts: ArrivingBodiesParts) {
    this.parts = parts;
  }

  /** What `take` makes of a body of at most `smallBytesMax`. Nearly every request comes here: one promise around the one of the body, and nothing else. */
  readSmall<T>(
    request: Request,
    declaredBytes: number,
    take: (bytes: Uint8Array) => T,
  ): Promise<T> {
    const arrival = this.arrive(declaredBytes);
    return new Promise((resolve, reject) => {
      arrival.onRefusal(reject);
      this.hold(arrival, declaredBytes);
      request.bytes().then(
        (bytes) => {
          this.release(arrival);
          try {
            resolve(take(bytes));
          } catch (error) {
            reject(error);
          }
        },
        (error) => {
          this.release(arrival);
          reject(brokenOff(error));
        },
      );
    });
  }

  /** `declaredBytes` is undefined for a body in chunks. Rejects with `tooLarge()` when that turns out too long. The body is still in pieces. */
  async readLarge(
    request: Request,
    declaredBytes: number | undefined,
    tooLarge: () => DatabaseError,
  ): Promise<Arrival> {
    const isChunked = declaredBytes === undefined;
    const arrival = this.arrive(declaredBytes ?? this.parts.bodyBytesMax);
    try {
      await this.follow(request, arrival, { isChunked, tooLarge });
    } catch (error) {
      throw brokenOff(error);
    } finally {
      this.release(arrival);
    }
    return arrival;
  }

  private arrive(expectedBytes: number): Arrival {
    const lasting = ticksAtLeast + Math.ceil(expectedBytes / bytesPerTick);
    // The first tick may come at any moment.
    const arrival = new Arrival(this.ticks + 1 + lasting);
    this.arrivals.add(arrival);
    this.parts.counters.arrivingBodies++;
    this.parts.activity.leave();
    this.timer ??= this.parts.scheduler.after(tickMs, () => this.tick());
    return arrival;
  }

  private async follow(request: Request, arrival: Arrival, { isChunked, tooLarge }: Following) {
    const reader = request.body?.getReader();
    for (;;) {
      const read = reader && (await arrival.orRefused(reader.read()));
      if (read === undefined || read.done) return;
      if (arrival.length + read.value.length > this.parts.bodyBytesMax) {
        // What still comes of it is skipped, and the connection goes on.
        reader?.cancel().catch(() => {});
        throw tooLarge();
      }
      // The latest to have sent something stands last.
      this.arrivals.delete(arrival);
      this.arrivals.add(arrival);
      this.hold(arrival, arrival.append(read.value));
      if (isChunked && arrival.isCrumbled) {
        reader?.cancel().catch(() => {});
        throw crumbled();
      }
    }
  }

  private hold(arrival: Arrival, bytes: number): void {
    const { counters, arrivingBytesMax } = this.parts;
    arrival.heldBytes += bytes;
    counters.arrivingBytes += bytes;
    for (const stalest of this.arrivals) {
      if (counters.arrivingBytes <= arrivingBytesMax) return;
      counters.bodiesCrowdedOut++;
      this.refuse(stalest, crowdedOut(arrivingBytesMax));
    }
  }

  private refuse(arrival: Arrival, why: DatabaseError): void {
    this.release(arrival);
    arrival.refuse(why);
  }

  /** Nothing of it is held here any more. */
  private release(arrival: Arrival): void {
    if (!this.arrivals.delete(arrival)) return;
    this.parts.counters.arrivingBodies--;
    this.parts.counters.arrivingBytes -= arrival.heldBytes;
    this.parts.activity.enter();
  }

  private tick(): void {
    this.ticks++;
    if (!this.isRefusing) this.refuseOverdue();
    const isNeeded = this.arrivals.size > 0;
    this.timer = isNeeded ? this.parts.scheduler.after(tickMs, () => this.tick()) : undefined;
  }

  /** Some in this turn and the others in later ones: a thousand that came together are overdue together, and each gets an answer. */
  private refuseOverdue(): void {
    this.isRefusing = false;
    let refused = 0;
    for (const arrival of this.arrivals) {
      if (arrival.lastTick > this.ticks) continue;
      if (refused === refusalsOfTurn) {
        this.isRefusing = true;
        void this.parts.scheduler.yield().then(() => this.refuseOverdue());
        return;
      }
      refused++;
      this.parts.counters.bodiesTimedOut++;
      this.refuse(arrival, timedOut());
    }
  }
}

/** A failure that is not a refusal: the connection ended, and no client reads the response. */
function brokenOff(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const location = { pointer: '/body' };
  return fail('schema_violation', 'the body broke off', { status: 400, location, cause: error });
}

function crumbled(): DatabaseError {
  return fail(
    'schema_violation',
    'the body comes in more than 1,024 chunks of less than 64 bytes on average: send larger chunks, or declare its length',
    { status: 400, location: { pointer: '/body' }, endsConnection: true },
  );
}

function timedOut(): DatabaseError {
  return fail(
    'request_timeout',
    'the body did not arrive in its time, 10 s and 1 s for each 64 KiB: send it again, faster',
    { location: { pointer: '/body' }, endsConnection: true },
  );
}

function crowdedOut(bytesMax: number): DatabaseError {
  return fail(
    'overloaded',
    `more than ${bytesMax / (1 << 20)} MiB of bodies are on their way (--arriving-mib), and of this one nothing has come for longest; try again later`,
    { retryAfterSeconds: 1, endsConnection: true },
  );
}
