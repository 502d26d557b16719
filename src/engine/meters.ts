/** What an engine counts of its programs, for whoever scrapes. */

import { TraceMeter, type TransactionEnd } from '#executor';
import { DurationHistogram, durations, type Instrument, StatementMeter } from '#observe';

export class EngineMeters {
  readonly statements = new StatementMeter();
  readonly traces = new TraceMeter();
  readonly planning = new DurationHistogram();
  /** Waits for a slot; who gets one at once is not in it. */
  readonly queued = new DurationHistogram();
  readonly transactions: Readonly<Record<TransactionEnd, DurationHistogram>> = {
    commit: new DurationHistogram(),
    rollback: new DurationHistogram(),
    abandoned: new DurationHistogram(),
  };

  instruments(): readonly Instrument[] {
    const one = (value: DurationHistogram) => [{ attributes: {}, value }];
    return [
      ...this.statements.instruments(),
      durations(
        'svc.planner.duration',
        'Planning of programs that are not known by their text.',
        () => one(this.planning),
      ),
      durations('svc.program.queue.duration', 'Waits of programs for a slot.', () =>
        one(this.queued),
      ),
      durations(
        'svc.transaction.duration',
        'Attempts of programs that write, and open transactions, by their end: `abandoned` has lost a race or its client, has met a limit, or nobody knows.',
        () =>
          Object.entries(this.transactions).map(([outcome, value]) => ({
            attributes: { 'svc.transaction.outcome': outcome },
            value,
          })),
      ),
      ...this.traces.instruments(),
    ];
  }
}
