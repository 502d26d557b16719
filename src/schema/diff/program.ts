/** Converts steps into a PIR program (docs/migrations.md). Steps that are already running are omitted; steps that wait for them name their transitions as prerequisites. */

import type { TransitionStart } from '#catalog';
import type { Program, Statement } from '#pir';
import { isStart, type Step } from './step.ts';

/** Returns the program. `matched` contains the ids of the transitions that already do the work of a step. */
export function programOf(steps: readonly Step[], matched: ReadonlyMap<Step, string>): Program {
  const needed = steps.filter((step) => !matched.has(step));
  const names = new Map(needed.map((step, i) => [step, `migration_${i + 1}`]));
  const statements = needed.map((step): Statement => {
    const { action, after } = step;
    const name = names.get(step) as string;
    if (!isStart(action)) return { ...action, name };
    const started = after.flatMap((other) => names.get(other) ?? []);
    const prerequisites = after.flatMap((other) => matched.get(other) ?? []);
    return { ...withPrerequisites(action, prerequisites), name, after: started };
  });
  return { statements };
}

function withPrerequisites(
  start: TransitionStart,
  prerequisites: readonly string[],
): TransitionStart {
  switch (start.kind) {
    case 'start_index_build':
      return { ...start, prerequisites };
    case 'start_column_replacement':
      return { ...start, replacement: { ...start.replacement, prerequisites } };
    case 'start_constraint_validation':
      return { ...start, constraint: { ...start.constraint, prerequisites } };
  }
}
