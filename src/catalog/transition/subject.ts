/** What a transition makes, as people call it: the table and the name of the index, column or constraint. */

import { columnById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import { parseTransitionId, type TransitionControl } from './record.ts';
import type { Transition } from './transition.ts';

interface TransitionSubject {
  readonly table: string;
  readonly object: string;
}

/** Undefined when the catalog no longer knows: what has ended may be deleted by now. */
export function subjectOf(
  catalog: Catalog,
  { transition_id, object_id }: TransitionControl,
): TransitionSubject | undefined {
  const id = parseTransitionId(transition_id);
  for (const table of catalog.tables) {
    const live = table.transitions?.find((transition) => transition.id === id);
    if (live !== undefined) return { table: table.name, object: nameOf(table, live) };
    const built = table.indexes.find(({ physicalId }) => `ix${physicalId}` === object_id);
    if (built !== undefined) return { table: table.name, object: built.name };
  }
  return undefined;
}

function nameOf(table: Table, transition: Transition): string {
  switch (transition.kind) {
    case 'index_build':
      return transition.index.name;
    case 'column_replacement':
      return columnById(table, transition.column)?.name ?? transition.target.name;
    case 'constraint_validation':
      return transition.name;
  }
}
