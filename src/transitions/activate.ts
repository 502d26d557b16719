/** Activates a waiting transition whose prerequisites are ready. Its goal might already be reached by then, or be impossible. */

import {
  columnById,
  endTransition,
  isSameColumn,
  moveTransition,
  publishTransition,
  relaxedColumn,
  troubleAtActivation,
} from '#catalog';
import { endAs } from './end.ts';
import type { StepCommit, Stepping } from './stepping.ts';

export function activate(stepping: Stepping): StepCommit {
  const { catalog, table, transition, record } = stepping;
  const { id } = record;
  const ready = { ...record, state: 'ready' } as const;
  if (isDone(stepping)) return { record: ready, after: endTransition(catalog, id, 'ready') };
  const trouble = troubleAtActivation(catalog, table, transition);
  if (trouble !== undefined) return endAs(stepping, 'failed', trouble);
  const relaxed = relaxedColumn(table, transition);
  if (relaxed !== undefined) {
    return { record: ready, after: publishTransition(catalog, id, relaxed) };
  }
  const after = moveTransition(catalog, id, 'building');
  return { record: { ...record, state: 'building' }, after };
}

function isDone({ table, transition }: Stepping): boolean {
  if (transition.kind === 'column_replacement') {
    const column = columnById(table, transition.column);
    return column !== undefined && isSameColumn(column, transition.target);
  }
  if (transition.kind === 'index_build') return false;
  const { constraint } = transition;
  return constraint.kind === 'not_null' && columnById(table, constraint.column)?.nullable === false;
}
