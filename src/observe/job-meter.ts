/** Counts the steps of background jobs. */

import { type Attributes, counter, type Instrument } from './instrument.ts';

interface Turn {
  readonly kind: 'transition' | 'reclamation';
  readonly outcome: 'advanced' | 'failed';
}

export class JobMeter {
  private readonly counts: Readonly<Record<Turn['kind'], Record<Turn['outcome'], number>>> = {
    transition: { advanced: 0, failed: 0 },
    reclamation: { advanced: 0, failed: 0 },
  };

  add({ kind, outcome }: Turn): void {
    this.counts[kind][outcome]++;
  }

  instruments(): readonly Instrument[] {
    return [
      counter(
        'svc.scheduler.jobs',
        '{turns}',
        'Number of steps of background jobs, by kind and outcome.',
        () =>
          Object.entries(this.counts).flatMap(([kind, outcomes]) =>
            Object.entries(outcomes).map(([outcome, value]): [Attributes, number] => [
              { 'svc.scheduler.job.kind': kind, 'svc.scheduler.job.outcome': outcome },
              value,
            ]),
          ),
      ),
    ];
  }
}
