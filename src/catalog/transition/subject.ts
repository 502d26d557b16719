/** The names of the object that a transition creates: its table, and its index, column or constraint. */

import { columnById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import { parseTransitionId, type TransitionControl, type TransitionNames } from './record.ts';
import type { TransitionGoal } from './transition.ts';

/** Returns the names; `undefined` if the catalog no longer contains the object, which may be deleted after the transition has ended. */
export function subjectOf(
  catalog: Catalog,
  { transition_id, object_id }: TransitionControl,
): TransitionNames | undefined {
  const id = parseTransitionId(transition_id);
  for (const table of catalog.tables) {
    const live = table.transitions?.find((transition) => transition.id === id);
    if (live !== undefined) return namesOf(table, live);
    const built = table.indexes.find(({ physicalId }) => `ix${physicalId}` === object_id);
    if (built !== undefined) return { table: table.name, object: built.name };
  }
  return undefined;
}

export function namesOf(table: Table, goal: TransitionGoal): TransitionNames {
  return { table: table.name, object: objectName(table, goal) };
}

function objectName(table: Table, goal: TransitionGoal): string {
  switch (goal.kind) {
    case 'index_build':
      return goal.index.name;
    case 'column_replacement':
      return columnById(table, goal.column)?.name ?? goal.target.name;
    case 'constraint_validation':
      return goal.name;
  }
}
