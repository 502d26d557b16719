/** Answers that are kept. */

import type { EdgeCounters } from '#http';
import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

type Relations = EdgeCounters['relations'];

const rows: readonly InstrumentRow<Relations>[] = [
  [
    counter,
    'svc.relation.cache.lookups',
    '{lookups}',
    'Programs and queries that only read, and more than a few rows by key: their answer was kept, was just being made for another one, or had to be made.',
    (all) => [
      [{ result: 'hit' }, all.hits],
      [{ result: 'coalesced' }, all.coalesced],
      [{ result: 'miss' }, all.misses],
    ],
  ],
  [
    counter,
    'svc.relation.cache.coalesced.fills',
    '{answers}',
    'Answers that were had from a request which was just making them.',
    (all) => all.coalesced,
  ],
  [
    counter,
    'svc.relation.cache.admissions',
    '{answers}',
    'Answers that were kept, and those that were not: asked for once, too large, asked for less often than what is there, or of a state that was over.',
    (all) => [
      [{ result: 'admitted' }, all.admitted],
      [{ result: 'first' }, all.refusedFirst],
      [{ result: 'size' }, all.refusedSize],
      [{ result: 'frequency' }, all.refusedFrequency],
      [{ result: 'changed' }, all.refusedChanged],
    ],
  ],
  [
    counter,
    'svc.relation.cache.evictions',
    '{answers}',
    'Answers that made room for others, or whose state was over.',
    (all) => [
      [{ reason: 'capacity' }, all.evictedCapacity],
      [{ reason: 'stale' }, all.evictedStale],
    ],
  ],
  [
    upDownCounter,
    'svc.relation.cache.entries',
    '{answers}',
    'Answers that are kept.',
    (all) => all.entries,
  ],
  [
    upDownCounter,
    'svc.relation.cache.retained',
    'By',
    'Memory of answers that are kept.',
    (all) => all.bytes,
  ],
  [
    gauge,
    'svc.relation.cache.capacity.entries',
    '{answers}',
    'How many answers may be kept.',
    (all) => all.capacityEntries,
  ],
  [
    gauge,
    'svc.relation.cache.capacity',
    'By',
    'What answers that are kept may take.',
    (all) => all.capacityBytes,
  ],
  [
    gauge,
    'svc.relation.cache.result.limit',
    'By',
    'What one of them may take.',
    (all) => all.resultBytesMax,
  ],
  [
    counter,
    'svc.relation.cache.avoided.time',
    's',
    'What answers that were not made again took when they were made.',
    (all) => all.avoidedMs / 1000,
  ],
];

/** `read` answers undefined while there is no handler. */
export function relationInstruments(read: () => Relations | undefined): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
