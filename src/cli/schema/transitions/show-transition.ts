/** Formats transitions for people. */

import type { WireTransition } from '#client';
import { count } from '../../frame/quantity.ts';
import { textTable } from '../../frame/text-table.ts';

/** Returns the object of a transition, such as `post_headline_idx on post`. */
export function subject({ object, table, object_id }: WireTransition): string {
  return object === undefined || table === undefined ? object_id : `${object} on ${table}`;
}

export function transitionLine(transition: WireTransition): string {
  const { transition_id, transition_kind, state, rows_scanned, last_error } = transition;
  const rows = `${count(rows_scanned)} rows`;
  const gated =
    transition.retained_work_state === 'normal' ? '' : `  ${transition.retained_work_state}`;
  const error = last_error === undefined ? '' : `  ${last_error}`;
  return `${transition_id}  ${transition_kind}  ${subject(transition)}  ${state}  ${rows}${gated}${error}`;
}

export function transitionTable(transitions: readonly WireTransition[]): string {
  const header = ['ID', 'KIND', 'OBJECT', 'STATE', 'ROWS', 'ERROR'];
  const rows = transitions.map((it) => [
    it.transition_id,
    it.transition_kind,
    subject(it),
    it.state,
    count(it.rows_scanned),
    it.last_error ?? '',
  ]);
  return textTable('transitions', header, rows);
}
