/** Measures how often and for how long the storage was unavailable. */

import type { Clock } from '#base';
import { counter, gauge, type Instrument } from '#observe';

export class AvailabilityMeter {
  private readonly clock: Clock;
  private outages = 0;
  private fencings = 0;
  private outageMs = 0;
  private sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  observed(isAvailable: boolean): void {
    const nowMs = this.clock.monotonicMs();
    if (isAvailable) {
      if (this.sinceMs !== undefined) this.outageMs += nowMs - this.sinceMs;
      this.sinceMs = undefined;
    } else if (this.sinceMs === undefined) {
      this.sinceMs = nowMs;
      this.outages++;
    }
  }

  fenced(): void {
    this.fencings++;
  }

  instruments(): readonly Instrument[] {
    return [
      gauge('svc.storage.available', '{stores}', '1 while the storage responds, else 0.', () =>
        this.sinceMs === undefined ? 1 : 0,
      ),
      counter(
        'svc.storage.outages',
        '{outages}',
        'Number of times that the storage became unavailable.',
        () => this.outages,
      ),
      counter('svc.storage.outage.duration', 's', 'Total duration of all storage outages.', () => {
        const running = this.sinceMs === undefined ? 0 : this.clock.monotonicMs() - this.sinceMs;
        return (this.outageMs + running) / 1000;
      }),
      counter(
        'svc.storage.fencing',
        '{fencings}',
        'Number of times that another writer has taken over.',
        () => this.fencings,
      ),
    ];
  }
}
