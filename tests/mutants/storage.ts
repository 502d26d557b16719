/** Wrong rules of the storage on which no result depends: a resource that is kept, work that is done twice, a bound that is forgotten. */

import type { Mutant } from './mutants.ts';

const openTables = ['tests/storage/assembly/open-tables.test.ts'];
const checkpoints = ['tests/storage/reader/checkpoints.test.ts'];
const givenBack = ['tests/storage/transaction/given-back.test.ts'];
const history = ['tests/storage/transaction/write-history.test.ts'];
const leaving = ['tests/storage/assembly/leaving.test.ts'];
const busyTiers = ['tests/storage/compaction/busy-tiers.test.ts'];

export const storageMutants: readonly Mutant[] = [
  rule('the file of a table is never closed', openTables, 'table/table-sections.ts', [
    'this.cache.metadata.clear(this.partitionShelf);\n    this.reader.close();',
    'this.cache.metadata.clear(this.partitionShelf);',
  ]),
  rule('a table that no version has stays open', openTables, 'version/version-set.ts', [
    '      held.table.close();\n',
    '',
  ]),
  rule('partitions of a closed table stay in the cache', openTables, 'table/table-sections.ts', [
    '    this.cache.metadata.clear(this.partitionShelf);\n',
    '',
  ]),
  rule('blocks of a closed table stay in the cache', openTables, 'table/table-sections.ts', [
    '    this.cache.data.clear(this.blockShelf);\n',
    '',
  ]),
  rule('tables of an opening that failed stay open', openTables, 'version/table-files.ts', [
    '      for (const { table } of added) table.close();\n',
    '',
  ]),
  rule('tables of a manifest without room stay open', openTables, 'maintenance/publisher.ts', [
    '      for (const { table } of newIn(opened, versions.runs)) table.close();\n',
    '',
  ]),
  rule('a store leaves its tables open', openTables, 'assembly/lsm-store.ts', [
    '      versions.close();\n',
    '',
  ]),
  rule(
    'a section passes at the place of another one',
    ['tests/storage/table/corruption.test.ts'],
    'table/section-checksum.ts',
    ['Math.imul(section + 1, 0x9e37_79b1)', 'Math.imul(1, 0x9e37_79b1)'],
  ),
  rule('busy tiers are merged twice', busyTiers, 'compaction/pick-job.ts', [
    'return end < 0 ? tiers : tiers.slice(0, end);',
    'return tiers;',
  ]),
  rule('a tier that is being added to is idle', busyTiers, 'compaction/pick-job.ts', [
    '[...job.inputs.flat(), ...(job.into ?? [])]',
    'job.inputs.flat()',
  ]),
  rule('a table under merge goes with its range', leaving, 'maintenance/publisher.ts', [
    'dropRanges(runs, new RangeSet(settled), this.versions.merging)',
    'dropRanges(runs, new RangeSet(settled))',
  ]),
  rule('tables of a merge do not count as busy', leaving, 'maintenance/compactor.ts', [
    '    for (const name of names) this.versions.merging.add(name);\n',
    '',
  ]),
  rule('a read-only transaction keeps its place', givenBack, 'transaction/transaction.ts', [
    '    this.candidates.remove(place);\n',
    '',
  ]),
  rule('open scans outlive their transaction', givenBack, 'transaction/transaction.ts', [
    '    this.reads.closeScans();\n    this.view.release();\n',
    '    this.view.release();\n',
  ]),
  rule('an old chunk of the history hides newer ones', history, 'transaction/history-keys.ts', [
    'if (chunk.highest <= since) continue;',
    'if (chunk.highest <= since) return undefined;',
  ]),
  rule('half of a split chunk of the history is old', history, 'transaction/history-keys.ts', [
    '  right.highest = chunk.highest;\n',
    '',
  ]),
  rule('a checkpoint that was not prepared stays pinned', checkpoints, 'reader/follower.ts', [
    '    } catch (error) {\n      checkpoint.version.release();\n      throw error;',
    '    } catch (error) {\n      throw error;',
  ]),
  rule('a checkpoint that was left stays pinned', checkpoints, 'reader/follower.ts', [
    '      former?.version.release();\n',
    '',
  ]),
  rule('tables of a checkpoint are never closed', checkpoints, 'reader/checkpoint.ts', [
    '    for (const held of tables) if (--held.holders === 0) held.table.close();\n',
    '',
  ]),
  rule(
    'a checkpoint that is older stays pinned',
    ['tests/storage/reader/reader.test.ts'],
    'reader/follower.ts',
    [
      '?? 0)) {\n      checkpoint.version.release();\n      return false;',
      '?? 0)) {\n      return false;',
    ],
  ),
];

function rule(
  name: string,
  tests: readonly string[],
  file: string,
  [from, to]: readonly [string, string],
): Mutant {
  return { name, file: `src/storage/${file}`, from, to, tests };
}
