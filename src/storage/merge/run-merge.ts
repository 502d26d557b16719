/** Merges sources into new SSTables. A flush of a memtable is such a merge. */

import type { VersionSource } from '../cursor/source.ts';
import { MergeRun } from './merge-run.ts';
import type { MergeResult, MergeTask } from './task.ts';

/**
 * Runs a merge, and yields after each time slice. `inputs` are newest first. The SSTables of a
 * failed merge are orphaned, because no manifest names them.
 */
export async function runMerge(
  inputs: readonly VersionSource[],
  task: MergeTask,
): Promise<MergeResult> {
  const run = new MergeRun(inputs, task);
  try {
    for (;;) {
      const step = run.step();
      if (step === 'done') return await run.result();
      await (step ?? task.scheduler.yield());
    }
  } finally {
    run.close();
  }
}
