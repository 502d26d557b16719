/**
 * The state that the result of a read-only program depends on, apart from its text. A cached result from the same state
 * is valid.
 */

import { type Policies, type Table, tableById } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from './database.ts';

export interface ReadState {
  /** The records of the tables that are read. A deleted table is `undefined`. */
  readonly tables: readonly (Table | undefined)[];
  /** Identifiers of the last row change of each table. An identifier is never reused. */
  readonly changes: readonly string[];
  readonly policies: Policies | undefined;
}

export function readStateOf({ store, catalog }: Database, plan: ProgramPlan): ReadState {
  const tables: (Table | undefined)[] = [];
  const changes: string[] = [];
  for (const id of plan.tables) {
    const table = tableById(catalog, id);
    tables.push(table);
    changes.push(table === undefined ? '' : store.changeOf(table.physicalId));
  }
  return { tables, changes, policies: catalog.policies };
}

/** Returns whether two states are equal. If the state is equal at two times, it did not change in between. */
export function isSameState(one: ReadState, other: ReadState): boolean {
  if (one.tables.length !== other.tables.length || one.policies !== other.policies) return false;
  for (let i = 0; i < one.tables.length; i++) {
    if (one.tables[i] !== other.tables[i] || one.changes[i] !== other.changes[i]) return false;
  }
  return true;
}
