/** Counts HTTP requests by method and status. */

import { DurationHistogram } from './histogram.ts';
import { counter, durations, type Instrument, type Point, upDownCounter } from './instrument.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PUT']);

export class RequestMeter {
  private active = 0;
  /** Durations by method, then by status. */
  private readonly taken = new Map<string, Map<number, DurationHistogram>>();

  enter(): void {
    this.active++;
  }

  /** Records a response. With `isQuiet`, the request only stops being active and is not counted. */
  leave(method: string, status: number, seconds: number, isQuiet: boolean): void {
    this.active--;
    if (isQuiet) return;
    const known = methods.has(method) ? method : '_OTHER';
    let byStatus = this.taken.get(known);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.taken.set(known, byStatus);
    }
    let taken = byStatus.get(status);
    if (taken === undefined) {
      taken = new DurationHistogram();
      byStatus.set(status, taken);
    }
    taken.add(seconds);
  }

  instruments(): readonly Instrument[] {
    return [
      upDownCounter(
        'http.server.active_requests',
        '{requests}',
        'Number of requests that have no response yet.',
        () => this.active,
      ),
      counter(
        'http.server.requests',
        '{requests}',
        'Number of requests with a response, without successful probes and scrapes.',
        () => this.points().map(({ attributes, value }) => [attributes, value.count]),
      ),
      durations(
        'http.server.request.duration',
        'Duration from the headers of a request to its response.',
        () => this.points(),
      ),
    ];
  }

  private points(): readonly Point<DurationHistogram>[] {
    return [...this.taken].flatMap(([method, byStatus]) =>
      [...byStatus].map(([status, value]) => ({
        attributes: {
          'http.request.method': method,
          'http.response.status_code': String(status),
        },
        value,
      })),
    );
  }
}
