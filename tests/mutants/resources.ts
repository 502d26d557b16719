/** Wrong rules of the storage and the server on which no result depends: a resource is kept, work is done twice, an end is ignored. */

import type { Mutant } from './mutants.ts';

const openTables = ['tests/storage/assembly/open-tables.test.ts'];
const checkpoints = ['tests/storage/reader/checkpoints.test.ts'];
const givenBack = ['tests/storage/transaction/given-back.test.ts'];
const history = ['tests/storage/transaction/write-history.test.ts'];
const leaving = ['tests/storage/assembly/leaving.test.ts'];
const closing = ['tests/storage/assembly/closing.test.ts'];
const fullDisk = ['tests/storage/assembly/full-disk.test.ts'];
const stopping = ['tests/server/stopping.test.ts'];
const busyTiers = ['tests/storage/compaction/busy-tiers.test.ts'];

export const resourceMutants: readonly Mutant[] = [
  rule('the file of a table is never closed', openTables, 'storage/table/table-sections.ts', [
    'this.cache.metadata.clear(this.partitionShelf);\n    this.reader.close();',
    'this.cache.metadata.clear(this.partitionShelf);',
  ]),
  rule('a table that no version has stays open', openTables, 'storage/version/version-set.ts', [
    '      held.table.close();\n',
    '',
  ]),
  rule(
    'partitions of a closed table stay in the cache',
    openTables,
    'storage/table/table-sections.ts',
    ['    this.cache.metadata.clear(this.partitionShelf);\n', ''],
  ),
  rule(
    'blocks of a closed table stay in the cache',
    openTables,
    'storage/table/table-sections.ts',
    ['    this.cache.data.clear(this.blockShelf);\n', ''],
  ),
  rule('tables of an opening that failed stay open', openTables, 'storage/version/table-files.ts', [
    '      for (const { table } of added) table.close();\n',
    '',
  ]),
  rule(
    'tables of a manifest without room stay open',
    openTables,
    'storage/maintenance/publisher.ts',
    ['      for (const { table } of newIn(opened, known)) table.close();\n', ''],
  ),
  rule('a store leaves its tables open', openTables, 'storage/assembly/lsm-store.ts', [
    '      versions.close();\n',
    '',
  ]),
  rule(
    'a section passes at the place of another one',
    ['tests/storage/table/corruption.test.ts'],
    'storage/table/section-checksum.ts',
    ['Math.imul(section + 1, 0x9e37_79b1)', 'Math.imul(1, 0x9e37_79b1)'],
  ),
  rule('busy tiers are merged twice', busyTiers, 'storage/compaction/pick-job.ts', [
    'return end < 0 ? tiers : tiers.slice(0, end);',
    'return tiers;',
  ]),
  rule('a tier that is being added to is idle', busyTiers, 'storage/compaction/pick-job.ts', [
    '[...job.inputs.flat(), ...(job.into ?? [])]',
    'job.inputs.flat()',
  ]),
  rule('a table under merge goes with its range', leaving, 'storage/maintenance/publisher.ts', [
    'dropRanges(runs, new RangeSet(settled), this.parts.versions.merging)',
    'dropRanges(runs, new RangeSet(settled))',
  ]),
  rule('tables of a merge do not count as busy', leaving, 'storage/maintenance/compactor.ts', [
    '    for (const name of names) this.parts.versions.merging.add(name);\n',
    '',
  ]),
  rule('a read-only transaction keeps its place', givenBack, 'storage/transaction/transaction.ts', [
    '    this.candidates.remove(place);\n    return this.readOnly',
    '    return this.readOnly',
  ]),
  rule('open scans outlive their transaction', givenBack, 'storage/transaction/transaction.ts', [
    '    this.reads.closeScans();\n    this.view.release();\n',
    '    this.view.release();\n',
  ]),
  rule(
    'an old chunk of the history hides newer ones',
    history,
    'storage/transaction/history-keys.ts',
    ['if (chunk.highest <= since) continue;', 'if (chunk.highest <= since) return undefined;'],
  ),
  rule(
    'half of a split chunk of the history is old',
    history,
    'storage/transaction/history-keys.ts',
    ['  right.highest = chunk.highest;\n', ''],
  ),
  rule(
    'a checkpoint that was not prepared stays pinned',
    checkpoints,
    'storage/reader/follower.ts',
    [
      '    } catch (error) {\n      checkpoint.version.release();\n      throw error;',
      '    } catch (error) {\n      throw error;',
    ],
  ),
  rule('a checkpoint that was left stays pinned', checkpoints, 'storage/reader/follower.ts', [
    '      former?.version.release();\n',
    '',
  ]),
  rule('tables of a checkpoint are never closed', checkpoints, 'storage/reader/checkpoint.ts', [
    '    for (const held of tables) if (--held.holders === 0) held.table.close();\n',
    '',
  ]),
  rule(
    'a checkpoint that is older stays pinned',
    ['tests/storage/reader/reader.test.ts'],
    'storage/reader/follower.ts',
    [
      '?? 0)) {\n      checkpoint.version.release();\n      return false;',
      '?? 0)) {\n      return false;',
    ],
  ),
  rule(
    'a store takes commits after its close has begun',
    closing,
    'storage/assembly/lsm-store.ts',
    ['    commitQueue.isClosed = true;\n', ''],
  ),
  rule('a store is closed below a long commit', closing, 'storage/assembly/lsm-store.ts', [
    '    await commitQueue.held;\n',
    '',
  ]),
  rule(
    'a store that waits for room is opened after its close',
    fullDisk,
    'storage/assembly/store-without-room.ts',
    ['    await this.opening?.catch(() => {});\n', ''],
  ),
  rule(
    'a store that waited for room is not closed',
    fullDisk,
    'storage/assembly/store-without-room.ts',
    ['    if (this.store !== undefined) return this.store.close();\n', ''],
  ),
  rule(
    'a full disk at the start ends the process',
    ['tests/engine/full-disk.test.ts'],
    'engine/open.ts',
    ['import { openStoreOrWait, ', 'import { openStore as openStoreOrWait, '],
  ),
  rule('a server serves what is open after its stop', stopping, 'server/server.ts', [
    '    if (this.isStopping) return place;\n',
    '',
  ]),
  rule('a server serves again after its stop', stopping, 'server/server.ts', [
    "      if (this.isStopping) return;\n      log.write('info', 'storage.recovered');",
    "      log.write('info', 'storage.recovered');",
  ]),
  rule('a stop does not end the attempts to open again', stopping, 'server/database-startup.ts', [
    '        if (this.stopped.signal.aborted) throw error;\n',
    '',
  ]),
  rule(
    'an attempt that fails after the stop is not the last',
    stopping,
    'server/database-startup.ts',
    ['this.stopped.signal.aborted || !mayComeBack(error)', '!mayComeBack(error)'],
  ),
  rule('a locked directory is a failed task', stopping, 'server/server.ts', [
    "kind === 'fenced' || kind === 'locked' ?",
    "kind === 'fenced' ?",
  ]),
];

function rule(
  name: string,
  tests: readonly string[],
  file: string,
  [from, to]: readonly [string, string],
): Mutant {
  return { name, file: `src/${file}`, from, to, tests };
}
