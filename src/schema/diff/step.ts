/** One difference together with what is done about it. */

import type { TransitionStart } from '#catalog';
import type { Action, SchemaChange } from './change.ts';

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

/** Where a change is; without a column it is about the table, or about an index or a key of it. */
export function inTable(table: string, column?: string): Pick<SchemaChange, 'table' | 'column'> {
  return column === undefined ? { table } : { table, column };
}

/** A move that only makes others possible has no summary. A change is of the kind of its action. */
export function step(
  summary: string | undefined,
  place: Pick<SchemaChange, 'table' | 'column'>,
  action: Action,
  after: readonly Step[] = [],
): Step {
  const change = summary === undefined ? undefined : { kind: action.kind, summary, ...place };
  return { change, action, after };
}

/** Ascending summaries: the order inside one group of changes. */
export function bySummary(steps: readonly Step[]): readonly Step[] {
  return [...steps].sort((left, right) => {
    const [a, b] = [left.change?.summary ?? '', right.change?.summary ?? ''];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}
