/** Merges sources into new tables. Also how a memtable is flushed. */

import type { CompactionResult } from '../compaction/job.ts';
import type { Source } from '../cursor/source.ts';
import { CompactionRun } from './merge-run.ts';
import type { CompactionTask } from './task.ts';

/**
 * `inputs` newest first. Gives way to others after each slice of time. Tables of a merge that fails are orphans: nobody was told
 * of them.
 */
export async function runCompaction(
  inputs: readonly Source[],
  task: CompactionTask,
): Promise<CompactionResult> {
  const run = new CompactionRun(inputs, task);
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
