/** Finds running transitions that already do the work of a step of a plan, or that conflict with a step (docs/migrations.md). */

import {
  affectedColumns,
  type Catalog,
  columnByName,
  type Index,
  matchingTransition,
  type Table,
  type Transition,
  type TransitionStart,
  tableById,
  transitionIdText,
} from '#catalog';
import type { DiffFinding } from '../finding.ts';
import { isStart, type Step } from './step.ts';

interface LiveWork {
  /** The ids of the transitions that do exactly the work of a step. */
  readonly matched: ReadonlyMap<Step, string>;
  /** Findings for steps that an active transition prevents. */
  readonly conflicts: readonly DiffFinding[];
}

/** Returns the running work. `renamed` is the current catalog after the renames of the plan, whose names the steps use. */
export function liveWork(renamed: Catalog, steps: readonly Step[]): LiveWork {
  const matched = new Map<Step, string>();
  const conflicts: DiffFinding[] = [];
  for (const step of steps) {
    const { action, change } = step;
    if (!isStart(action)) continue;
    const same = matchingTransition(renamed, action);
    if (same !== undefined) {
      matched.set(step, transitionIdText(same.id));
      continue;
    }
    const table = tableById(renamed, action.table_id);
    const waitsFor = step.after.flatMap((other) => matched.get(other) ?? []);
    const active = table?.transitions?.find(
      (one) => !waitsFor.includes(transitionIdText(one.id)) && isInTheWay(table, action, one),
    );
    if (active === undefined) continue;
    const what = `${active.kind} ${transitionIdText(active.id)}`;
    conflicts.push({
      kind: 'active_schema_transition_conflict',
      summary: `${change?.summary}: the ${what} is active; wait for its end or cancel it`,
    });
  }
  return { matched, conflicts };
}

function isInTheWay(table: Table, start: TransitionStart, active: Transition): boolean {
  if (nameOf(start) === nameOfActive(active)) return true;
  const columns = columnsOfStart(table, start);
  if (!affectedColumns(active).some((id) => columns.includes(id))) return false;
  switch (start.kind) {
    case 'start_column_replacement':
      return true;
    case 'start_index_build':
      return active.kind === 'column_replacement';
    case 'start_constraint_validation':
      return active.kind !== 'index_build';
  }
}

/** Returns the name that the start reserves. */
function nameOf(start: TransitionStart): string | undefined {
  switch (start.kind) {
    case 'start_index_build':
      return `index ${start.index.name}`;
    case 'start_constraint_validation':
      return `constraint ${start.constraint.name}`;
    case 'start_column_replacement':
      return `column ${start.column_id}`;
  }
}

function nameOfActive(active: Transition): string {
  switch (active.kind) {
    case 'index_build':
      return `index ${(active.index as Index).name}`;
    case 'constraint_validation':
      return `constraint ${active.name}`;
    case 'column_replacement':
      return `column ${active.column}`;
  }
}

function columnsOfStart(table: Table, start: TransitionStart): readonly number[] {
  const idsOf = (names: readonly string[]) =>
    names.flatMap((name) => columnByName(table, name)?.id ?? []);
  switch (start.kind) {
    case 'start_index_build':
      return idsOf(start.index.columns);
    case 'start_column_replacement':
      return [start.column_id];
    case 'start_constraint_validation': {
      const { constraint } = start;
      return constraint.kind === 'not_null'
        ? [constraint.column_id]
        : idsOf(constraint.foreign_key.columns);
    }
  }
}
