/** The collector of a store: objects that it lists and deletes because nobody needs them. */

import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import type { StoreStatistics } from '#storage';
import type { Values } from './instruments-of.ts';

type Garbage = NonNullable<StoreStatistics['garbage']>;
type Counts = Garbage['parts']['main'];

/** None where nothing is written. */
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
      'Sweeps of the garbage collector, by how they ended; the next sweep does again what a failed one left.',
      of(({ runs, failedRuns }) => [
        [{ 'svc.status': 'success' }, runs],
        [{ 'svc.status': 'error' }, failedRuns],
      ]),
    ),
    counter(
      'svc.storage.gc.listed.objects',
      '{objects}',
      'Objects that listings of the garbage collector returned, by part of the store; pins of readers are of `main`.',
      byPart(({ listed }) => listed),
    ),
    counter(
      'svc.storage.gc.deleted.objects',
      '{objects}',
      'Objects, or files of a directory, that the garbage collector deleted. A log segment that is used again is not deleted.',
      byPart(({ deleted }) => deleted),
    ),
    counter(
      'svc.storage.gc.deleted',
      'By',
      'Bytes of these objects.',
      byPart(({ deletedBytes }) => deletedBytes),
    ),
    counter(
      'svc.storage.gc.errors',
      '{requests}',
      'Listings and deletions of the garbage collector that failed.',
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
      'Tables that no manifest names, and that a reader in another process may still read.',
      of(({ waiting }) => waiting),
    ),
    gauge(
      'svc.storage.gc.oldest.age',
      's',
      'Time for which the oldest garbage has waited: for a reader, or for a sweep that does not fail. 0 while there is none.',
      of(({ oldestAgeMs }) => oldestAgeMs / 1000),
    ),
  ];
}
