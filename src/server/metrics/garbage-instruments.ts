/** Instruments of the garbage collector of a store, which lists and deletes unused objects. */

import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import type { StoreStatistics } from '#storage';
import type { Values } from './instruments-of.ts';

type Garbage = NonNullable<StoreStatistics['garbage']>;
type Counts = Garbage['parts']['main'];

/** The instruments have no values if this process does not write to the store. */
export function garbageInstruments(read: () => StoreStatistics | undefined): readonly Instrument[] {
  const of = (value: (garbage: Garbage) => number | Values) => () => {
    const garbage = read()?.garbage;
    return garbage && value(garbage);
  };
  const byPart = (value: (counts: Counts) => number) =>
    of(({ parts }) => [
      [{ store: 'main' }, value(parts.main)],
      [{ store: 'log' }, value(parts.log)],
    ]);
  return [
    counter(
      'svc.storage.gc.runs',
      '{runs}',
      'Number of sweeps of the garbage collector, by outcome. The next sweep repeats the work that a failed sweep left.',
      of(({ runs, failedRuns }) => [
        [{ 'svc.status': 'success' }, runs],
        [{ 'svc.status': 'error' }, failedRuns],
      ]),
    ),
    counter(
      'svc.storage.gc.listed.objects',
      '{objects}',
      'Number of objects that listings of the garbage collector returned, by part of the store. Reader pins count as `main`.',
      byPart(({ listed }) => listed),
    ),
    counter(
      'svc.storage.gc.deleted.objects',
      '{objects}',
      'Number of objects, or files of a directory, that the garbage collector deleted. A reused log segment is not deleted.',
      byPart(({ deleted }) => deleted),
    ),
    counter(
      'svc.storage.gc.deleted',
      'By',
      'Bytes of the objects that the garbage collector deleted.',
      byPart(({ deletedBytes }) => deletedBytes),
    ),
    counter(
      'svc.storage.gc.errors',
      '{requests}',
      'Number of failed listings and deletions of the garbage collector.',
      of(({ parts }) =>
        Object.entries(parts).flatMap(
          ([store, { listErrors, deleteErrors }]): Values => [
            [{ store, operation: 'list' }, listErrors],
            [{ store, operation: 'delete' }, deleteErrors],
          ],
        ),
      ),
    ),
    upDownCounter(
      'svc.storage.gc.waiting',
      '{tables}',
      'Number of SSTables that no manifest names but that a reader in another process may still read.',
      of(({ waiting }) => waiting),
    ),
    gauge(
      'svc.storage.gc.oldest.age',
      's',
      'Duration for which the oldest garbage has waited for a reader or for a successful sweep, or 0 if there is none.',
      of(({ oldestAgeMs }) => oldestAgeMs / 1000),
    ),
  ];
}
