/** What a careless hand might write into the transitions: each by changes of the text of a file. */

import type { Change } from '../../mutants/mutants.ts';

export interface Plant {
  readonly name: string;
  readonly changes: readonly Change[];
}

export const plants: readonly Plant[] = [
  plant('an index in the making does not follow updates', 'src/executor/mutate/row-change.ts', [
    'yield* changeRows(mutationContext, index, before, after);',
    'if (index.index.unique) yield* changeRows(mutationContext, index, before, after);',
  ]),
  plant('a row is left out where a step ends', 'src/transitions/index-chunk.ts', [
    'for (let i = 0; i < ends.length; i += 2) {',
    'for (let i = 0; i < Math.min(ends.length, 1_998); i += 2) {',
  ]),
  plant('duplicates that the build finds are not claimed', 'src/transitions/index-chunk.ts', [
    'if (held !== undefined && !equalBytes(held, value)) {',
    'if (held?.length === 0) {',
  ]),
  plant('a claim stays when its row goes', 'src/executor/mutate/building-entries.ts', [
    'mutationContext.delete(claimKey(index.physicalId, entry));',
    '',
  ]),
  plant('a violation stays when its row is set right', 'src/executor/mutate/row-change.ts', [
    'yield* clearViolations(mutationContext, change.table, before.keys, change.assigned);',
    '',
  ]),
  plant(
    'a column in the making does not follow updates',
    'src/executor/mutate/replacement-columns.ts',
    [
      'if (image !== undefined) return image;',
      'if (image !== undefined) return assigned === undefined ? image : null;',
    ],
  ),
  plant('NULL is written while its absence is validated', 'src/executor/mutate/values.ts', [
    '!writeProtocol(table).notNull.has(column.id)',
    '!writeProtocol(table).notNull.has(-1)',
  ]),
  {
    name: 'what a step has read may change before its commit',
    changes: [
      { file: 'src/engine/database.ts', from: '  commit(\n', to: '  async commit(\n' },
      {
        file: 'src/engine/database.ts',
        from: 'const after = move && this.putCatalog(transaction, move, []);',
        to: `const after = move && this.putCatalog(transaction, move, []);
    for (let i = 0; i < 4; i++) await this.world.scheduler.yield();`,
      },
      {
        file: 'src/storage/transaction/commit-queue.ts',
        from: 'range: (range) => history.rangeChanged(range, since),',
        to: 'range: () => undefined,',
      },
    ],
  },
];

function plant(name: string, file: string, [from, to]: readonly [string, string]): Plant {
  return { name, changes: [{ file, from, to }] };
}
