/** Merges sources into new tables. Also how a memtable is flushed. */

import type { VersionSource } from '../cursor/source.ts';
import { MergeRun } from './merge-run.ts';
import type { MergeResult, MergeTask } from './task.ts';

/**
 * `inputs` newest first. Gives way to others after each slice of time. Tables of a merge that fails are orphans: nobody was told
 * of them.
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
