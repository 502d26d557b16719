/** Instruments of the engine. */

import type { Engine } from '#engine';
import { EngineMeters } from '#engine';
import { gauge, type Instrument, type Point, upDownCounter } from '#observe';

/** `read` returns `undefined` while no database is open. All instruments then exist without values. */
export function engineInstruments(read: () => Engine | undefined): readonly Instrument[] {
  const engine = read();
  const meters = engine?.meters.instruments();
  const none = (): readonly Point<never>[] => [];
  const worker = () => {
    const open = read();
    return open?.access === 'write' ? open.transitions.worker : undefined;
  };
  return [
    ...(meters ??
      new EngineMeters().instruments().map((one): Instrument => ({ ...one, read: none }))),
    upDownCounter(
      'svc.transaction.open',
      '{transactions}',
      'Number of open transactions of clients, between their statements.',
      () => read()?.openTransactions().open,
    ),
    gauge(
      'svc.transaction.oldest.age',
      's',
      'Duration since the start of the oldest open transaction, or 0 if none is open. Open transactions delay reclamation.',
      () => {
        const open = read()?.openTransactions();
        return open && open.ageMs / 1000;
      },
    ),
    upDownCounter(
      'svc.scheduler.quarantined',
      '{jobs}',
      'Number of jobs that failed repeatedly and are suspended until the schema changes.',
      () => worker()?.quarantined,
    ),
    upDownCounter(
      'svc.scheduler.lost_workers',
      '{workers}',
      '1 if an error has ended the worker of transitions, else 0.',
      () => {
        const one = worker();
        return one && (one.failure === undefined ? 0 : 1);
      },
    ),
    upDownCounter(
      'svc.schema.reclamations',
      '{columns}',
      'Number of deleted columns whose values are still to be removed.',
      () => worker()?.reclaiming,
    ),
  ];
}
