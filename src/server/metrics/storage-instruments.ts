/** Instruments of the store: its operations, its size, and its background work. */

import { type Attributes, counter, gauge, type Instrument, upDownCounter } from '#observe';
import type { StoreStatistics } from '#storage';
import { garbageInstruments } from './garbage-instruments.ts';
import { type InstrumentRow, instrumentsOf, type Values } from './instruments-of.ts';
import { requestInstruments } from './request-instruments.ts';

const storeRows: readonly InstrumentRow<StoreStatistics>[] = [
  [
    counter,
    'svc.transaction.completions',
    '{transactions}',
    'Number of transactions that wrote, by outcome.',
    (all) => [
      [{ outcome: 'commit' }, all.commits.commits],
      [{ outcome: 'conflict' }, all.commits.conflicts],
    ],
  ],
  [
    counter,
    'svc.transaction.conflicts',
    '{transactions}',
    'Number of commits refused because of a conflict: another commit came first.',
    (all) => all.commits.conflicts,
  ],
  [
    counter,
    'svc.storage.write.operations',
    '{keys}',
    'Number of keys that commits put or deleted.',
    (all) => all.commits.writes,
  ],
  [
    counter,
    'svc.storage.write.batches',
    '{commits}',
    'Number of commits that the store accepted.',
    (all) => all.commits.commits,
  ],
  [
    counter,
    'svc.storage.memtable.write',
    'By',
    'Bytes of keys and values of all commits.',
    (all) => all.memtables.writtenBytes,
  ],
  [
    upDownCounter,
    'svc.storage.memtable.used',
    'By',
    'Bytes of memory of entries that are not in SSTables yet.',
    (all) => all.memtables.bytes,
  ],
  [
    upDownCounter,
    'svc.storage.memory',
    'By',
    'Bytes of memory of the store, by owner: the entries that are not in SSTables yet, and the caches.',
    (all) => [
      [{ kind: 'memtable' }, all.memtables.bytes],
      [{ kind: 'data_cache' }, all.dataCache.usedBytes],
      [{ kind: 'metadata_cache' }, all.metadataCache.usedBytes],
    ],
  ],
  [
    upDownCounter,
    'svc.storage.memtables',
    '{memtables}',
    'Number of memtables: the writable one, and those that wait for their flush.',
    (all) => all.memtables.count,
  ],
  [
    counter,
    'svc.storage.backpressure.events',
    '{writes}',
    'Number of writes that the store delayed, stopped or refused, by kind.',
    (all) => [
      [{ kind: 'delayed' }, all.pressure.delayed],
      [{ kind: 'stopped' }, all.pressure.stopped],
      [{ kind: 'refused' }, all.pressure.refused],
    ],
  ],
  [
    counter,
    'svc.storage.wal.buffer.flushes',
    '{groups}',
    'Number of groups of commits that were written to the log together.',
    (all) => all.log.groups,
  ],
  [
    counter,
    'svc.storage.wal.records',
    '{records}',
    'Number of records written to the log.',
    (all) => all.log.records,
  ],
  [
    counter,
    'svc.storage.wal.flush',
    'By',
    'Bytes written to the log.',
    (all) => all.log.writtenBytes,
  ],
  [
    upDownCounter,
    'svc.storage.wal.segments',
    '{segments}',
    'Number of retained segments of the log.',
    (all) => all.log.segments,
  ],
  [
    counter,
    'svc.storage.memtable.flushes',
    '{flushes}',
    'Number of flushes from memory to SSTables: of memtables, and of sorted runs of index builds.',
    (all) => all.flush.flushes,
  ],
  [
    counter,
    'svc.storage.lsm.flush',
    'By',
    'Bytes written by flushes.',
    (all) => all.flush.flushedBytes,
  ],
  [
    counter,
    'svc.storage.compaction.written',
    'By',
    'Bytes written by compactions.',
    (all) => all.compaction.outputBytes,
  ],
  [
    counter,
    'svc.storage.compaction.entries',
    '{entries}',
    'Number of entries that compactions read and wrote.',
    (all) => [
      [{ direction: 'input' }, all.compaction.inputEntries],
      [{ direction: 'output' }, all.compaction.outputEntries],
    ],
  ],
  [
    counter,
    'svc.storage.compaction.jobs',
    '{merges}',
    'Number of finished compactions.',
    (all) => all.compaction.jobs,
  ],
  [
    upDownCounter,
    'svc.storage.compaction.active',
    '{merges}',
    'Number of running compactions.',
    (all) => all.compaction.active,
  ],
  [
    counter,
    'svc.storage.compaction.threads_lost',
    '{threads}',
    'Number of compaction threads that died. Each of their compactions was repeated.',
    (all) => all.compaction.threadsLost,
  ],
  [
    upDownCounter,
    'svc.storage.damaged',
    '{tables}',
    'Number of SSTables that cannot be read or had to be written again.',
    (all) => all.damaged.length,
  ],
  [
    gauge,
    'svc.storage.write.amplification',
    '1',
    'Bytes written to the log and to SSTables for each byte of a commit.',
    (all) => all.writeAmplification,
  ],
  [
    upDownCounter,
    'svc.storage.lsm.ssts',
    '{tables}',
    'Number of SSTables, by level of their sorted run. Level 0 contains flushes, and level 3 the older versions of rows that open views still read.',
    ({ runs }) => byLevel(runs, ({ tables }) => tables),
  ],
  [
    upDownCounter,
    'svc.storage.lsm.table',
    'By',
    'Bytes of SSTables, by level of their sorted run.',
    ({ runs }) => byLevel(runs, ({ bytes }) => bytes),
  ],
  [
    upDownCounter,
    'svc.storage.lsm.sorted_runs',
    '{runs}',
    'Number of sorted runs.',
    ({ runs }) => runs.length,
  ],
  [
    upDownCounter,
    'svc.storage.views',
    '{views}',
    'Number of versions of the store that reads still use.',
    (all) => all.views,
  ],
];

/** `read` returns `undefined` while no database is open. */
export function storageInstruments(read: () => StoreStatistics | undefined): readonly Instrument[] {
  return [
    ...instrumentsOf(read, storeRows),
    ...cacheInstruments(read),
    ...requestInstruments(read),
    ...garbageInstruments(read),
  ];
}

function cacheInstruments(read: () => StoreStatistics | undefined): readonly Instrument[] {
  const each = (
    value: (cache: StoreStatistics['dataCache'], part: Attributes) => Values,
  ): Values | undefined => {
    const all = read();
    return (
      all && [
        ...value(all.dataCache, { tier: 'memory', entry_kind: 'data' }),
        ...value(all.metadataCache, { tier: 'memory', entry_kind: 'metadata' }),
      ]
    );
  };
  const parts = () => read()?.objectCache;
  const local = { tier: 'local', entry_kind: 'part' };
  return [
    counter(
      'svc.storage.cache.accesses',
      '{accesses}',
      'Number of reads of caches, by result.',
      () => {
        const memory = each(({ hits, misses }, part) => [
          [{ ...part, result: 'hit' }, hits],
          [{ ...part, result: 'miss' }, misses],
        ]);
        const disk = parts();
        if (memory === undefined || disk === undefined) return memory;
        return [
          ...memory,
          [{ ...local, result: 'hit' }, disk.hits],
          [{ ...local, result: 'miss' }, disk.misses],
          [{ ...local, result: 'error' }, disk.damaged + disk.failures],
        ];
      },
    ),
    counter(
      'svc.storage.cache.evictions',
      '{entries}',
      'Number of cache entries evicted to make room for other entries.',
      () => each(({ evictions }, part) => [[part, evictions]]),
    ),
    upDownCounter('svc.storage.cache.keys', '{entries}', 'Number of entries of caches.', () =>
      each(({ entries }, part) => [[part, entries]]),
    ),
    upDownCounter('svc.storage.cache.size', 'By', 'Bytes of memory of caches.', () => {
      const memory = each(({ usedBytes }, part) => [[part, usedBytes]]);
      const disk = parts();
      return memory && disk ? [...memory, [local, disk.usedBytes]] : memory;
    }),
    gauge('svc.storage.cache.capacity', 'By', 'Bytes that caches may use.', () => {
      const memory = each(({ capacityBytes }, part) => [[part, capacityBytes]]);
      const disk = parts();
      return memory && disk ? [...memory, [local, disk.capacityBytes]] : memory;
    }),
  ];
}

function byLevel(
  runs: StoreStatistics['runs'],
  of: (run: StoreStatistics['runs'][number]) => number,
): Values {
  const levels = new Map<number, number>();
  for (const run of runs) levels.set(run.level, (levels.get(run.level) ?? 0) + of(run));
  return [...levels].map(([level, value]) => [{ level: String(level) }, value]);
}
