/** The state changes of a transition in the catalog (docs/migrations.md). All functions are pure. */

import { invariant } from '#base';
import { withColumn, withTable } from '../change/change.ts';
import { sortedByName } from '../change/name.ts';
import { columnById, foreignKeyByName, indexByName } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column } from '../table-parts.ts';
import { liveTransition } from './admission.ts';
import type { EndedTransition, EndState, LiveState, Transition } from './transition.ts';

/** Maximum number of ended transitions that the catalog retains. */
export const endedTransitionsMax = 1000;

/** Returns the catalog with the transition in another state. */
export function moveTransition(catalog: Catalog, id: number, state: LiveState): Catalog {
  const live = liveTransition(catalog, id);
  invariant(live !== undefined, 'a transition moves while it lives');
  const transitions = live.table.transitions?.map((other) =>
    other.id === id ? { ...other, state } : other,
  );
  return withTable(catalog, { ...live.table, ...(transitions && { transitions }) });
}

/** Returns the catalog without the transition and its write protocol. */
export function endTransition(catalog: Catalog, id: number, state: EndState): Catalog {
  const live = liveTransition(catalog, id);
  invariant(live !== undefined, 'a transition ends once');
  return ended(withTable(catalog, without(live.table, id)), { id, state });
}

/** Returns the catalog, one version higher, with the result of the transition as part of the schema. If the transition only relaxes a column, `column` is the relaxed column. */
export function publishTransition(catalog: Catalog, id: number, column?: Column): Catalog {
  const live = liveTransition(catalog, id);
  invariant(live !== undefined, 'a transition is published once');
  const rest = without(live.table, id);
  const table = column ? replaceColumn(rest, column) : published(rest, live.transition);
  const after = ended(withTable(catalog, table), { id, state: 'ready' });
  return { ...after, version: catalog.version + 1 };
}

function published(table: Table, transition: Transition): Table {
  switch (transition.kind) {
    case 'index_build': {
      const { index } = transition;
      invariant(indexByName(table, index.name) === undefined, 'the name was reserved');
      return { ...table, indexes: sortedByName([...table.indexes, index]) };
    }
    case 'column_replacement':
      return replaceColumn(table, transition.target);
    case 'constraint_validation': {
      const { constraint } = transition;
      if (constraint.kind === 'not_null') {
        const column = columnById(table, constraint.column);
        invariant(column !== undefined, 'a column stays while it is validated');
        return withColumn(table, { ...column, nullable: false });
      }
      const { foreignKey } = constraint;
      invariant(foreignKeyByName(table, foreignKey.name) === undefined, 'the name was reserved');
      return { ...table, foreignKeys: sortedByName([...table.foreignKeys, foreignKey]) };
    }
  }
}

/** Puts `target` in place of the column with the same id, whose name may have changed meanwhile. */
export function replaceColumn(table: Table, target: Column): Table {
  const column = columnById(table, target.id);
  invariant(column !== undefined, 'a column stays while it is replaced');
  return withColumn(table, { ...target, name: column.name });
}

function without(table: Table, id: number): Table {
  const { transitions = [], ...rest } = table;
  const left = transitions.filter((other) => other.id !== id);
  return left.length === 0 ? rest : { ...rest, transitions: left };
}

/** Adds an ended transition to the catalog, and removes the oldest ones beyond the limit. */
export function ended(catalog: Catalog, end: EndedTransition): Catalog {
  const all = [...(catalog.endedTransitions ?? []), end].sort((a, b) => a.id - b.id);
  return { ...catalog, endedTransitions: all.slice(-endedTransitionsMax) };
}
