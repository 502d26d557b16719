/** Online transitions as their administration shows them (docs/migrations.md). */

import { Type } from '@sinclair/typebox';
import { transitionKinds, transitionStates } from '#catalog';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const count = (description: string) => int64(description, { minimum: 0 });

export const transitionAnswerDefinitions = {
  TransitionControl: closed('One online transition.', {
    kind: Type.Literal('transition', { description: 'Always `transition`.' }),
    transition_id: name('The id of the transition.'),
    object_id: name('The id of the index, column or constraint that the transition creates.'),
    transition_kind: oneOf('How it works.', transitionKinds),
    state: oneOf('How far it is.', transitionStates),
    generation: count('Counts the changes of this record.'),
    prerequisites: list(
      'Ids of the transitions that must be `ready` before this one starts.',
      name('An id.'),
    ),
    retained_work_state: oneOf(
      'How much work waits for it. This server always reports `normal`, because each write updates the new object in its own commit.',
      ['normal', 'degraded', 'write_gated'],
    ),
    last_error: optional(
      Type.String({
        description:
          'Why it failed, or its latest error. Names table, columns and number of rows, never a stored value or a key.',
      }),
    ),
    rows_scanned: count('How many rows it has seen.'),
    applied_delta: count(
      'Changes of other commits that it has applied. This server always reports 0.',
    ),
    delta_lag: count(
      'Changes of other commits that it has still to apply. This server always reports 0.',
    ),
    table: optional(name('The name of the table.')),
    object: optional(name('The name of the object that the transition creates.')),
  }),
  TransitionList: closed('Transitions that run, and those that have ended lately.', {
    transitions: list('By id.', ref('TransitionControl')),
  }),
};
