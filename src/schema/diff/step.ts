/** One difference together with the action that resolves it. */

import type { TransitionStart } from '#catalog';
import type { Action, SchemaChange } from './change.ts';

export interface Step {
  /** The change that is shown to users; `undefined` for an auxiliary action that only enables others, such as a rename to a temporary name. */
  readonly change: SchemaChange | undefined;
  readonly action: Action;
  /** Starts of the same plan that must be ready first. */
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

/** Returns the location of a change. Without a column, the change concerns the table, or one of its indexes or keys. */
export function inTable(table: string, column?: string): Pick<SchemaChange, 'table' | 'column'> {
  return column === undefined ? { table } : { table, column };
}

/** Returns a step. An auxiliary action has no summary. The kind of a change is that of its action. */
export function step(
  summary: string | undefined,
  place: Pick<SchemaChange, 'table' | 'column'>,
  action: Action,
  after: readonly Step[] = [],
): Step {
  const change = summary === undefined ? undefined : { kind: action.kind, summary, ...place };
  return { change, action, after };
}

/** Sorts steps by summary, the order within one group of changes. */
export function bySummary(steps: readonly Step[]): readonly Step[] {
  return [...steps].sort((left, right) => {
    const [a, b] = [left.change?.summary ?? '', right.change?.summary ?? ''];
    return a < b ? -1 : a > b ? 1 : 0;
  });
}
