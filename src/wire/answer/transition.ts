/** Definitions of the responses about online transitions (docs/migrations.md). */

import { Type } from '@sinclair/typebox';
import { transitionKinds, transitionStates } from '#catalog';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const count = (description: string) => int64(description, { minimum: 0 });

export const transitionAnswerDefinitions = {
  TransitionControl: closed('One online transition.', {
    kind: Type.Literal('transition', { description: 'Always `transition`.' }),
    transition_id: name('The id of the transition.'),
    object_id: name('The id of the index, column or constraint that the transition creates.'),
    transition_kind: oneOf('The kind of transition.', transitionKinds),
    state: oneOf('The current state.', transitionStates),
    generation: count('Number of changes of this record.'),
    prerequisites: list(
      'Ids of the transitions that must be `ready` before this one starts.',
      name('An id.'),
    ),
    retained_work_state: oneOf(
      'The amount of work that waits for it. This server always reports `normal`, because each write updates the new object in its own commit.',
      ['normal', 'degraded', 'write_gated'],
    ),
    last_error: optional(
      Type.String({
        description:
          'The reason of the failure, or the latest error. It names the table, columns and number of rows, never a stored value or a key.',
      }),
    ),
    rows_scanned: count('Number of rows that it has scanned.'),
    applied_delta: count(
      'Number of changes of other commits that it has applied. This server always reports 0.',
    ),
    delta_lag: count(
      'Number of changes of other commits that it has not applied yet. This server always reports 0.',
    ),
    table: optional(name('The name of the table.')),
    object: optional(name('The name of the object that the transition creates.')),
  }),
  TransitionList: closed('Transitions that are running or have ended recently.', {
    transitions: list('The transitions, by id.', ref('TransitionControl')),
  }),
};
