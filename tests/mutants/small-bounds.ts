/**
 * No wrong rule: the bounds of work at once are so small that few rows reach them. Batches of one row, sorts that merge and cut, a memo that
 * forgets, and an executor that gives way at every look at the clock. Answers must stay as they are.
 */

import type { Change } from './mutants.ts';

export const smallBounds: readonly Change[] = [
  bound('src/executor/batch/vector.ts', 'batchRowsMax', '1024', '1'),
  bound('src/executor/operators/apply/memo.ts', 'entriesMax', '4096', '1'),
  bound('src/executor/operators/sort/merge-sort.ts', 'runLength', '8', '2'),
  bound('src/executor/operators/sort/merge-sort.ts', 'stepRows', '1024', '2'),
  bound('src/executor/operators/sort/sort.ts', 'topRowsMax', '8192', '2'),
  bound('src/executor/operators/sort/rank-window.ts', 'counterBits', '19', '3'),
  bound('src/executor/operators/sort/sorted-runs.ts', 'fanIn', '16', '2'),
  bound('src/executor/spill/partitions.ts', 'partBits', '4', '1'),
  bound('src/executor/spill/partitions.ts', 'levelsMax', '8', '3'),
  bound('src/executor/effects/stored-rows.ts', 'pieceRows', '1024', '2'),
  bound('src/executor/mutate/mutation-context.ts', 'stretchRows', '256', '2'),
  bound('src/executor/budget.ts', 'lookEvery', '1024', '1'),
  bound('src/executor/operators/scan/range-scan.ts', 'wholeRunRows', '256', '1'),
  // Not 0: something has to happen between two waits.
  bound('src/executor/budget.ts', 'sliceMs', '5', '0.02'),
];

function bound(file: string, name: string, from: string, to: string): Change {
  return { file, from: `const ${name} = ${from};`, to: `const ${name} = ${to};` };
}
