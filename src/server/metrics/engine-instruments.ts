/** What the engine counts, while there is one. */

import type { Engine } from '#engine';
import { EngineMeters } from '#engine';
import { gauge, type Instrument, type Point, upDownCounter } from '#observe';

/** `read` answers undefined while no database is open: then every instrument is there, and has nothing to tell. */
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
      'Transactions that are open between the statements of their clients.',
      () => read()?.openTransactions().open,
    ),
    gauge(
      'svc.transaction.oldest.age',
      's',
      'Time since the oldest open transaction began; 0 without one. Open transactions hold back reclamation.',
      () => {
        const open = read()?.openTransactions();
        return open && open.ageMs / 1000;
      },
    ),
    upDownCounter(
      'svc.scheduler.quarantined',
      '{jobs}',
      'Jobs that have failed so often that they are left alone until the schema changes.',
      () => worker()?.quarantined,
    ),
    upDownCounter(
      'svc.scheduler.lost_workers',
      '{workers}',
      '1 when work on transitions has come to an end by a mistake, else 0.',
      () => {
        const one = worker();
        return one && (one.failure === undefined ? 0 : 1);
      },
    ),
    upDownCounter(
      'svc.schema.reclamations',
      '{columns}',
      'Columns that were deleted, and whose values are still to be removed.',
      () => worker()?.reclaiming,
    ),
  ];
}
