/** The store: what it was asked, what it holds, and what it did in the background. */

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
    'Transactions that have written, by their end.',
    (all) => [
      [{ outcome: 'commit' }, all.commits.commits],
      [{ outcome: 'conflict' }, all.commits.conflicts],
    ],
  ],
  [
    counter,
    'svc.transaction.conflicts',
    '{transactions}',
    'Commits that lost a race.',
    (all) => all.commits.conflicts,
  ],
  [
    counter,
    'svc.storage.write.operations',
    '{keys}',
    'Keys that commits have put or deleted.',
    (all) => all.commits.writes,
  ],
  [
    counter,
    'svc.storage.write.batches',
    '{commits}',
    'Commits that the store has taken.',
    (all) => all.commits.commits,
  ],
  [
    counter,
    'svc.storage.memtable.write',
    'By',
    'Keys and values of all commits.',
    (all) => all.memtables.writtenBytes,
  ],
  [
    upDownCounter,
    'svc.storage.memtable.used',
    'By',
    'Memory of what is not in tables yet.',
    (all) => all.memtables.bytes,
  ],
  [
    upDownCounter,
    'svc.storage.memory',
    'By',
    'Memory of the store, by what holds it: what is not in tables yet, and the caches.',
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
    'The one that is written, and those that wait for their flush.',
    (all) => all.memtables.count,
  ],
  [
    counter,
    'svc.storage.backpressure.events',
    '{writes}',
    'Writes that the store has held back, by how.',
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
    'Groups of commits that were written to the log together.',
    (all) => all.log.groups,
  ],
  [
    counter,
    'svc.storage.wal.records',
    '{records}',
    'Records of the log.',
    (all) => all.log.records,
  ],
  [
    counter,
    'svc.storage.wal.flush',
    'By',
    'What was written to the log.',
    (all) => all.log.writtenBytes,
  ],
  [
    upDownCounter,
    'svc.storage.wal.segments',
    '{segments}',
    'Segments of the log that are kept.',
    (all) => all.log.segments,
  ],
  [
    counter,
    'svc.storage.memtable.flushes',
    '{flushes}',
    'Tables made of memory: of memtables, and of runs of index builds.',
    (all) => all.flush.flushes,
  ],
  [
    counter,
    'svc.storage.lsm.flush',
    'By',
    'What flushes have written.',
    (all) => all.flush.flushedBytes,
  ],
  [
    counter,
    'svc.storage.compaction.written',
    'By',
    'What merges have written.',
    (all) => all.compaction.outputBytes,
  ],
  [
    counter,
    'svc.storage.compaction.entries',
    '{entries}',
    'Entries that merges have read and written.',
    (all) => [
      [{ direction: 'input' }, all.compaction.inputEntries],
      [{ direction: 'output' }, all.compaction.outputEntries],
    ],
  ],
  [
    counter,
    'svc.storage.compaction.jobs',
    '{merges}',
    'Merges that are done.',
    (all) => all.compaction.jobs,
  ],
  [
    upDownCounter,
    'svc.storage.compaction.active',
    '{merges}',
    'Merges that run.',
    (all) => all.compaction.active,
  ],
  [
    counter,
    'svc.storage.compaction.threads_lost',
    '{threads}',
    'Threads of merges that died; each merge was done again.',
    (all) => all.compaction.threadsLost,
  ],
  [
    upDownCounter,
    'svc.storage.damaged',
    '{tables}',
    'Tables that cannot be read, or had to be written again.',
    (all) => all.damaged.length,
  ],
  [
    gauge,
    'svc.storage.write.amplification',
    '1',
    'Bytes written to log and tables for each byte of a commit.',
    (all) => all.writeAmplification,
  ],
  [
    upDownCounter,
    'svc.storage.lsm.ssts',
    '{tables}',
    'Tables, by level of their run; 0 are flushes.',
    ({ runs }) => byLevel(runs, ({ tables }) => tables),
  ],
  [
    upDownCounter,
    'svc.storage.lsm.table',
    'By',
    'Bytes of tables, by level of their run.',
    ({ runs }) => byLevel(runs, ({ bytes }) => bytes),
  ],
  [
    upDownCounter,
    'svc.storage.lsm.sorted_runs',
    '{runs}',
    'Runs of tables.',
    ({ runs }) => runs.length,
  ],
  [
    upDownCounter,
    'svc.storage.views',
    '{views}',
    'States of the store that somebody reads.',
    (all) => all.views,
  ],
];

/** `read` answers undefined while no database is open. */
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
    counter('svc.storage.cache.accesses', '{accesses}', 'Reads of caches, by their result.', () => {
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
    }),
    counter('svc.storage.cache.evictions', '{entries}', 'Entries that made room for others.', () =>
      each(({ evictions }, part) => [[part, evictions]]),
    ),
    upDownCounter('svc.storage.cache.keys', '{entries}', 'Entries of caches.', () =>
      each(({ entries }, part) => [[part, entries]]),
    ),
    upDownCounter('svc.storage.cache.size', 'By', 'Memory of caches.', () => {
      const memory = each(({ usedBytes }, part) => [[part, usedBytes]]);
      const disk = parts();
      return memory && disk ? [...memory, [local, disk.usedBytes]] : memory;
    }),
    gauge('svc.storage.cache.capacity', 'By', 'What caches may take.', () => {
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
