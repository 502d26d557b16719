/** No bugs: bounds so small that few entries reach them, and seeds that cost little. Every answer must stay as it is. */

import type { Change } from '../../mutants/mutants.ts';

export const smallBounds: readonly Change[] = [
  bound('memtable/arena.ts', 'pieceBits', '20', '13'),
  bound('memtable/key-index.ts', 'slotsInitial', '16', '2'),
  bound('memtable/key-chunk.ts', 'chunkChainHeads', '256', '4'),
  bound('memtable/key-chunk.ts', 'splitChainHeads', '160', '3'),
  bound('memtable/key-order.ts', 'tailChainHeadsMax', '8192', '6'),
  bound('memtable/key-order.ts', 'tailOfFewRunsMax', '24_576', '24'),
  bound('memtable/key-order.ts', 'searchedRunsMax', '16', '2'),
  bound('memtable/key-order.ts', 'searchedChainHeadsMin', '256', '2'),
  bound('transaction/write-history.ts', 'ofLongCommitsMax', '64', '3'),
  bound('merge/merge-run.ts', 'entriesPerLook', '256', '3'),
  bound('transaction/history-keys.ts', 'chunkKeys', '256', '4'),
  bound('transaction/read-set.ts', 'itemsBeforeMerge', '1024', '3'),
  bound('transaction/read-set.ts', 'itemsMax', '32_768', '8'),
  bound('batch/write-batch.ts', 'chunkWrites', '128', '3'),
  bound('batch/commit-yield.ts', 'stretchWrites', '4096', '3'),
  bound('batch/write-batch.ts', 'fewWrites', '64', '2'),
  bound('transaction/read-set.ts', 'fewItems', '64', '2'),
  change('transaction/write-history.ts', 'bytesMax: 32 << 20', 'bytesMax: 1000'),
  change('log/group.ts', 'new GatheredBytes(64 << 10)', 'new GatheredBytes(512)'),
  bound('log/gathered-bytes.ts', 'copiedBytesMax', '4 << 20', '300'),
  bound('log/gathered-bytes.ts', 'stretchBytes', '2 << 20', '100'),
  bound('batch/commit-record.ts', 'pieceBytesMax', '1 << 20', '128'),
  change('table/row-buffer.ts', 'new ByteWriter(32 * 1024)', 'new ByteWriter(1024)'),
  change('bucket/limits.ts', 'readAhead: 16', 'readAhead: 2'),
];

function bound(file: string, name: string, from: string, to: string): Change {
  return change(file, `const ${name} = ${from};`, `const ${name} = ${to};`);
}

function change(file: string, from: string, to: string): Change {
  return { file: `src/storage/${file}`, from, to };
}
