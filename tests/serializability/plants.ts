/** Wrong rules of concurrency that the workloads must notice, each on a server whose programs really run at the same time. */

import type { Change, Mutant } from '../mutants/mutants.ts';

/**
 * A program on data in memory runs in one go, and races only while it waits. Here each waits between its last read and its commit,
 * as on data far away.
 */
export const interleaved: Change = {
  file: 'src/engine/attempt.ts',
  from: 'const check = outcome.result && request.beforeCommit?.(outcome.result);',
  to: `for (let i = 0; i < 4; i++) await database.world.scheduler.yield();
    const check = outcome.result && request.beforeCommit?.(outcome.result);`,
};

export const plants: readonly Mutant[] = [
  {
    name: 'ranges that were read are not validated',
    file: 'src/storage/transaction/commit-queue.ts',
    from: 'range: (range) => history.rangeChanged(range, since),',
    to: 'range: () => undefined,',
  },
  {
    name: 'points that were read are not validated',
    file: 'src/storage/transaction/commit-queue.ts',
    from: 'point: (point) => history.pointChanged(point, since),',
    to: 'point: () => undefined,',
  },
  {
    name: 'acknowledged before the log holds it',
    file: 'src/storage/transaction/commit-queue.ts',
    from: 'return this.parts.acknowledgesEarly ? undefined : this.parts.log.durable(sequence);',
    to: 'return sequence < 0 ? this.parts.log.durable(sequence) : undefined;',
  },
  {
    name: 'a program that lost a race is answered as committed',
    file: 'src/engine/attempt.ts',
    from: "case 'conflict':\n      return false;",
    to: "case 'conflict':\n      return true;",
  },
];
