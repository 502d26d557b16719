/** What one process does at a time, and what came of it; both travel between processes as plain data. */

import type { CrashLane, CrashTally } from '../crashes/run-crashes.ts';
import type { SeedRange, SeedRun } from '../run-seeds.ts';

export type Task =
  | { readonly kind: 'seeds'; readonly range: SeedRange }
  | { readonly kind: 'crashes'; readonly commitQueue: CrashLane };

export type Result =
  | { readonly kind: 'seeds'; readonly run: SeedRun }
  | { readonly kind: 'crashes'; readonly commitQueue: CrashLane; readonly tally: CrashTally }
  | { readonly kind: 'crash failure'; readonly commitQueue: CrashLane; readonly error: string };

/** Loads `src`, so what is planted must have been planted before. */
export async function perform(task: Task): Promise<Result> {
  if (task.kind === 'seeds') {
    const { runSeeds } = await import('../run-seeds.ts');
    return { kind: 'seeds', run: await runSeeds(task.range) };
  }
  const { commitQueue } = task;
  const { crashLane } = await import('../crashes/run-crashes.ts');
  try {
    return { kind: 'crashes', commitQueue, tally: crashLane(commitQueue) };
  } catch (error) {
    return { kind: 'crash failure', commitQueue, error: Bun.inspect(error) };
  }
}
