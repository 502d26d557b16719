/** Instruments of requests to a bucket, by operation, component and part of the store. */

import { type Attributes, counter, type Instrument } from '#observe';
import type { StoreStatistics } from '#storage';
import type { Values } from './instruments-of.ts';

type Counted = NonNullable<StoreStatistics['requests']>[number];
type Counts = Counted['counts']['read'];

/** Programs wait only for foreground requests. */
const activities: Readonly<Record<Counted['component'], 'foreground' | 'background'>> = {
  db: 'foreground',
  reader: 'foreground',
  compactor: 'background',
  gc: 'background',
};

/** The instruments have no values if the store is a directory. */
export function requestInstruments(read: () => StoreStatistics | undefined): readonly Instrument[] {
  const each = (value: (counts: Counts) => number) => (): Values | undefined =>
    read()?.requests?.flatMap(({ component, store, counts }) =>
      Object.entries(counts).map(([operation, some]): readonly [Attributes, number] => [
        { operation, component, store, 'svc.storage.activity': activities[component] },
        value(some),
      ]),
    );
  return [
    counter(
      'svc.storage.object.requests',
      '{requests}',
      'Number of requests to the bucket, by operation, component (`db`, `reader`, `compactor`, `gc`) and part of the store (`main`, `log`).',
      each(({ requests }) => requests),
    ),
    counter(
      'svc.storage.object.unsuccessful.requests',
      '{requests}',
      'Number of requests to the bucket that failed or have an unknown outcome.',
      each(({ errors }) => errors),
    ),
    counter(
      'svc.storage.object.request.time',
      's',
      'Total duration of all requests to the bucket.',
      each(({ milliseconds }) => milliseconds / 1000),
    ),
    counter(
      'svc.storage.object',
      'By',
      'Bytes read from the bucket and written to it.',
      each(({ bytes }) => bytes),
    ),
  ];
}
