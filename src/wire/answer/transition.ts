/** Online transitions as administrators see them (docs/http.md). */

import { type Static, Type } from '@sinclair/typebox';
import { transitionKinds, transitionStates } from '#catalog';
import { closed, int64, list, name, oneOf, optional, ref, tag } from '../schema/shapes.ts';

const TransitionControl = closed('A durable online change of a table.', {
  kind: tag('transition'),
  transition_id: name('The identity of the transition.'),
  object_id: name('The identity of the index, column or constraint that it makes.'),
  transition_kind: oneOf('The protocol.', transitionKinds),
  state: oneOf('The state; `ready`, `failed` and `cancelled` are terminal.', transitionStates),
  generation: int64('Increases with every durable change of the transition.', { minimum: 1 }),
  prerequisites: list(
    'Transitions that have to be ready before this one becomes active.',
    name('The identity of a transition.'),
  ),
  retained_work_state: oneOf('How much work is left behind by writers.', [
    'normal',
    'degraded',
    'write_gated',
  ]),
  last_error: optional(
    Type.String({ description: 'Why it failed, or the latest trouble of its worker.' }),
  ),
  rows_scanned: int64('Rows that have been looked at.', { minimum: 0 }),
  applied_delta: int64('Changes of writers that were applied afterwards.', { minimum: 0 }),
  delta_lag: int64('Changes of writers that are not applied yet.', { minimum: 0 }),
  table: optional(name('The table; absent when the schema no longer knows the object.')),
  object: optional(name('The name of the index, column or constraint.')),
});

export const transitionDefinitions = {
  TransitionControl,
  TransitionList: closed('Transitions in one snapshot, by identity.', {
    transitions: list(
      'Live ones, and ended ones that are kept.',
      ref<Static<typeof TransitionControl>>('TransitionControl'),
    ),
  }),
};
