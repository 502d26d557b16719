/** Meters of the programs of an engine. */

import { TraceMeter, type TransactionEnd } from '#executor';
import { DurationHistogram, durations, type Instrument, StatementMeter } from '#observe';

export class EngineMeters {
  readonly statements = new StatementMeter();
  readonly traces = new TraceMeter();
  readonly planning = new DurationHistogram();
  /** Waits for an execution slot. Programs that get a slot immediately are not counted. */
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
        'Duration of planning a program that has no cached template.',
        () => one(this.planning),
      ),
      durations(
        'svc.program.queue.duration',
        'Duration of waits of programs for an execution slot. Programs that get a slot immediately are not counted.',
        () => one(this.queued),
      ),
      durations(
        'svc.transaction.duration',
        'Duration of open transactions and of attempts of programs that write, by outcome. `abandoned`: a conflict, a lost client, an exceeded limit, or an unknown outcome.',
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
