/** Decides whether a transition may start while others are active on its table, and whether it has to wait (docs/migrations.md). */

import { fail } from '#failure';
import { columnNames } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import { parseTransitionId, transitionIdText } from './record.ts';
import { affectedColumns, type Transition, type TransitionGoal } from './transition.ts';

/** Returns the ids of the prerequisites, distinct and ascending. Throws `invalid` if one is unknown, or has ended without becoming ready. */
export function checkPrerequisites(
  catalog: Catalog,
  given: readonly string[],
  after: readonly number[],
): readonly number[] {
  const ids = new Set(after);
  for (const text of given) {
    const id = parseTransitionId(text);
    const state = id === undefined ? undefined : stateOf(catalog, id);
    if (id === undefined || state === undefined) {
      throw fail('invalid', `unknown prerequisite: there is no transition ${JSON.stringify(text)}`);
    }
    if (state === 'failed' || state === 'cancelled') {
      throw fail('invalid', `the prerequisite ${text} is ${state}: it will never be ready`);
    }
    ids.add(id);
  }
  return [...ids].sort((left, right) => left - right);
}

export function isWaiting(catalog: Catalog, prerequisites: readonly number[]): boolean {
  return prerequisites.some((id) => stateOf(catalog, id) !== 'ready');
}

/** Returns the state of a transition; `undefined` if the catalog does not contain it any more. */
export function stateOf(catalog: Catalog, id: number) {
  const ended = catalog.endedTransitions?.find((transition) => transition.id === id);
  if (ended !== undefined) return ended.state;
  return liveTransitions(catalog).find(({ transition }) => transition.id === id)?.transition.state;
}

export interface LiveTransition {
  readonly table: Table;
  readonly transition: Transition;
}

/** Returns the transitions that have not ended, by id. */
export function liveTransitions(catalog: Catalog): readonly LiveTransition[] {
  return catalog.tables
    .flatMap((table) => (table.transitions ?? []).map((transition) => ({ table, transition })))
    .sort((left, right) => left.transition.id - right.transition.id);
}

export function liveTransition(catalog: Catalog, id: number): LiveTransition | undefined {
  return liveTransitions(catalog).find(({ transition }) => transition.id === id);
}

/** Throws `invalid` if an active transition of the table conflicts with `goal`. */
export function checkAdmission(
  table: Table,
  goal: TransitionGoal,
  prerequisites: readonly number[],
): void {
  const wanted = new Set(affectedColumns(goal));
  for (const active of table.transitions ?? []) {
    const shared = affectedColumns(active).filter((id) => wanted.has(id));
    if (shared.length === 0) continue;
    if (goal.kind === 'column_replacement' && active.kind === 'index_build') {
      throw refused(table, shared, active, 'cancel or finish and delete the index first');
    }
    const isReplacing = [goal.kind, active.kind].includes('column_replacement');
    const isTwice = goal.kind === 'constraint_validation' && active.kind === goal.kind;
    if (!(isReplacing || isTwice) || prerequisites.includes(active.id)) continue;
    throw refused(table, shared, active, 'name it as a prerequisite, or wait for its end');
  }
}

function refused(
  table: Table,
  shared: readonly number[],
  active: Transition,
  advice: string,
): Error {
  const [column] = columnNames(table, shared);
  return fail(
    'invalid',
    `column "${column}" of table "${table.name}" is already being changed by the ${active.kind} ${transitionIdText(active.id)}; ${advice}`,
  );
}

/** Throws `invalid` if an active transition of the table affects the column. */
export function requireColumnIdle(table: Table, column: number, what: string): void {
  refuseWhile(
    table.transitions?.find((one) => affectedColumns(one).includes(column)),
    what,
  );
}

/** Throws `invalid` if one of the columns is being replaced. */
export function requireNoReplacement(table: Table, columns: readonly number[], what: string): void {
  refuseWhile(
    table.transitions?.find(
      (one) => one.kind === 'column_replacement' && columns.includes(one.column),
    ),
    what,
  );
}

/** Throws `invalid` if one of the columns is becoming not nullable. */
export function requireNoNotNull(table: Table, columns: readonly number[], what: string): void {
  refuseWhile(
    table.transitions?.find(
      (one) =>
        one.kind === 'constraint_validation' &&
        one.constraint.kind === 'not_null' &&
        columns.includes(one.constraint.column),
    ),
    what,
  );
}

/** Throws `invalid` if there is an active transition. `what` names the refused change in the message. */
export function refuseWhile(active: Transition | undefined, what: string): void {
  if (active === undefined) return;
  throw fail(
    'invalid',
    `${what} while the ${active.kind} ${transitionIdText(active.id)} is active; wait for its end or cancel it`,
  );
}
