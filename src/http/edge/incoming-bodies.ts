/**
 * Receives request bodies. Each body has a deadline that depends on its declared length, and all bodies together have a
 * memory limit. If they exceed the limit, the body that has been idle longest is refused: clients that stopped sending
 * free memory for active clients. Deadlines count timer ticks, so that a pause of this process does not time out a
 * client.
 */

import type { Scheduler, Timer } from '#base';
import { DatabaseError, fail } from '#failure';
import type { Activity } from './activity.ts';
import type { EdgeCounters } from './counters.ts';
import { IncomingBody } from './incoming-body.ts';

const tickMs = 1000;
const ticksAtLeast = 10;
const bytesPerTick = 64 << 10;
/** Maximum number of refusals per event-loop iteration. One response takes about 50 µs. */
const refusalsOfTurn = 64;
/** The maximum declared length of a body that is read in one step. */
export const smallBytesMax = 64 << 10;

interface ArrivingBodiesParts {
  readonly scheduler: Scheduler;
  readonly counters: EdgeCounters;
  /** A request whose body is being received does not count as in progress. */
  readonly activity: Activity;
  /** Maximum bytes of one body. The caller has already refused a body that declares more. */
  readonly bodyBytesMax: number;
  /** Maximum bytes of all bodies together. */
  readonly arrivingBytesMax: number;
}

interface Following {
  /** Whether the client chose the chunk sizes. If not, the network did. */
  readonly isChunked: boolean;
  readonly tooLarge: () => DatabaseError;
}

export class IncomingBodies {
  private readonly parts: ArrivingBodiesParts;
  /** The bodies being received, ordered by the time of their last bytes, longest ago first. */
  private readonly arrivals = new Set<IncomingBody>();
  private ticks = 0;
  /** Whether the current iteration could not refuse all overdue bodies. */
  private isRefusing = false;
  private timer: Timer | undefined;

  constructor(parts: ArrivingBodiesParts) {
    this.parts = parts;
  }

  /**
   * Reads a body of at most `smallBytesMax` bytes and returns the result of `take`. This path handles nearly every
   * request, so it adds only one promise to that of the body.
   */
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

  /**
   * Reads a body and returns its pieces. `declaredBytes` is `undefined` for a chunked body. Rejects with `tooLarge()`
   * when the body exceeds its limit.
   */
  async readLarge(
    request: Request,
    declaredBytes: number | undefined,
    tooLarge: () => DatabaseError,
  ): Promise<IncomingBody> {
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

  private arrive(expectedBytes: number): IncomingBody {
    const lasting = ticksAtLeast + Math.ceil(expectedBytes / bytesPerTick);
    // The first tick can come at any moment, so one tick is added.
    const arrival = new IncomingBody(this.ticks + 1 + lasting);
    this.arrivals.add(arrival);
    this.parts.counters.arrivingBodies++;
    this.parts.activity.leave();
    this.timer ??= this.parts.scheduler.after(tickMs, () => this.tick());
    return arrival;
  }

  private async follow(
    request: Request,
    arrival: IncomingBody,
    { isChunked, tooLarge }: Following,
  ) {
    const reader = request.body?.getReader();
    for (;;) {
      const read = reader && (await arrival.orRefused(reader.read()));
      if (read === undefined || read.done) return;
      if (arrival.length + read.value.length > this.parts.bodyBytesMax) {
        // The rest of the body is discarded, and the connection stays usable.
        reader?.cancel().catch(() => {});
        throw tooLarge();
      }
      // The body that received bytes last moves to the end.
      this.arrivals.delete(arrival);
      this.arrivals.add(arrival);
      this.hold(arrival, arrival.append(read.value));
      if (isChunked && arrival.isCrumbled) {
        reader?.cancel().catch(() => {});
        throw crumbled();
      }
    }
  }

  private hold(arrival: IncomingBody, bytes: number): void {
    const { counters, arrivingBytesMax } = this.parts;
    arrival.heldBytes += bytes;
    counters.arrivingBytes += bytes;
    for (const stalest of this.arrivals) {
      if (counters.arrivingBytes <= arrivingBytesMax) return;
      counters.bodiesCrowdedOut++;
      this.refuse(stalest, crowdedOut(arrivingBytesMax));
    }
  }

  private refuse(arrival: IncomingBody, why: DatabaseError): void {
    this.release(arrival);
    arrival.refuse(why);
  }

  /** Removes a body and stops counting its memory. */
  private release(arrival: IncomingBody): void {
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

  /**
   * Refuses overdue bodies, a limited number per iteration. A thousand bodies that arrived together are overdue
   * together, and each gets a response.
   */
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
  return fail('schema_violation', 'the body ended before its declared end', {
    status: 400,
    location,
    cause: error,
  });
}

function crumbled(): DatabaseError {
  return fail(
    'schema_violation',
    'the body has more than 1,024 chunks, with less than 64 bytes on average; send larger chunks, or declare its length',
    { status: 400, location: { pointer: '/body' }, endsConnection: true },
  );
}

function timedOut(): DatabaseError {
  return fail(
    'request_timeout',
    'the request body timed out (limit: 10 s plus 1 s per 64 KiB); send it again over a faster connection',
    { location: { pointer: '/body' }, endsConnection: true },
  );
}

function crowdedOut(bytesMax: number): DatabaseError {
  return fail(
    'overloaded',
    `the request bodies in transit exceed ${bytesMax / (1 << 20)} MiB (--arriving-mib), and this body has been idle longest; try again later`,
    { retryAfterSeconds: 1, endsConnection: true },
  );
}
