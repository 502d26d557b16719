/** What the answer of a program that only reads depends on besides its text: an answer that is known from the same state is the answer. */

import { type Table, tableById } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from './database.ts';

export interface ReadState {
  /** The records of the tables that are read; undefined for one that is gone. */
  readonly tables: readonly (Table | undefined)[];
  /** When the rows of each of them last changed. No change has the name of an earlier one. */
  readonly changes: readonly string[];
}

export function readStateOf({ store, catalog }: Database, plan: ProgramPlan): ReadState {
  const tables: (Table | undefined)[] = [];
  const changes: string[] = [];
  for (const id of plan.tables) {
    const table = tableById(catalog, id);
    tables.push(table);
    changes.push(table === undefined ? '' : store.changeOf(table.physicalId));
  }
  return { tables, changes };
}

/** A state that is the same at two times was the same at all times between. */
export function isSameState(one: ReadState, other: ReadState): boolean {
  if (one.tables.length !== other.tables.length) return false;
  for (let i = 0; i < one.tables.length; i++) {
    if (one.tables[i] !== other.tables[i] || one.changes[i] !== other.changes[i]) return false;
  }
  return true;
}
