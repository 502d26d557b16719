/** Instruments of the relation cache. */

import type { EdgeCounters } from '#http';
import { counter, gauge, type Instrument, upDownCounter } from '#observe';
import { type InstrumentRow, instrumentsOf } from './instruments-of.ts';

type Relations = EdgeCounters['relations'];

const rows: readonly InstrumentRow<Relations>[] = [
  [
    counter,
    'svc.relation.cache.lookups',
    '{lookups}',
    'Number of cache lookups by read-only programs and queries, except reads of up to 16 rows by key. `hit` returns a cached result, `coalesced` shares the result of a concurrent request, `miss` executes the request.',
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
    'Number of results shared by a concurrent request.',
    (all) => all.coalesced,
  ],
  [
    counter,
    'svc.relation.cache.admissions',
    '{answers}',
    'Number of results, `admitted` to the cache or refused: requested once (`first`), too large (`size`), requested less often than the cached results (`frequency`), or outdated (`changed`).',
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
    'Number of cached results evicted to make room for other results (`capacity`) or because they were outdated (`stale`).',
    (all) => [
      [{ reason: 'capacity' }, all.evictedCapacity],
      [{ reason: 'stale' }, all.evictedStale],
    ],
  ],
  [
    upDownCounter,
    'svc.relation.cache.entries',
    '{answers}',
    'Number of cached results.',
    (all) => all.entries,
  ],
  [
    upDownCounter,
    'svc.relation.cache.retained',
    'By',
    'Bytes of memory of cached results.',
    (all) => all.bytes,
  ],
  [
    gauge,
    'svc.relation.cache.capacity.entries',
    '{answers}',
    'Maximum number of cached results.',
    (all) => all.capacityEntries,
  ],
  [
    gauge,
    'svc.relation.cache.capacity',
    'By',
    'Bytes of memory that cached results may use.',
    (all) => all.capacityBytes,
  ],
  [
    gauge,
    'svc.relation.cache.result.limit',
    'By',
    'Bytes that one cached result may use.',
    (all) => all.resultBytesMax,
  ],
  [
    counter,
    'svc.relation.cache.avoided.time',
    's',
    'Duration of the original executions of all results that were served from the cache.',
    (all) => all.avoidedMs / 1000,
  ],
];

/** `read` returns `undefined` until the handler exists. */
export function relationInstruments(read: () => Relations | undefined): readonly Instrument[] {
  return instrumentsOf(read, rows);
}
