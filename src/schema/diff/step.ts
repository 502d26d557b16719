/** One difference together with what is done about it. */

import type { CatalogChange, TransitionStart } from '#catalog';
import type { SchemaChange } from './change.ts';

type Action = CatalogChange | TransitionStart;

export interface Step {
  /** Undefined for a move that only makes others possible, such as a detour through a temporary name. */
  readonly change: SchemaChange | undefined;
  readonly action: Action;
  /** Starts of the same plan that have to be ready first. */
  readonly after: readonly Step[];
}

export function isStart(action: Action): action is TransitionStart {
  switch (action.kind) {
    case 'start_index_build':
    case 'start_column_replacement':
    case 'start_constraint_validation':
      return true;
    default:
      return false;
  }
}

export function step(
  change: SchemaChange | undefined,
  action: Action,
  after: readonly Step[] = [],
): Step {
  return { change, action, after };
}

/** Ascending summaries: the order inside one group of changes. */
export function bySummary(steps: readonly Step[]): readonly Step[] {
  return [...steps].sort((left, right) => {
    const [a, b] = [left.change?.summary ?? '', right.change?.summary ?? ''];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}
