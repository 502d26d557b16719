/** Operations on online transitions of the schema. */

import { transitionKinds, transitionStates } from '#catalog';
import { type Operation, scope, unrestrictedOr } from '../operation.ts';
import { ofQuery, transition } from '../parameters.ts';

const tag = 'Transitions';

export const transitionOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/schema/transitions',
    id: 'listTransitions',
    needs: unrestrictedOr('read', 'schema'),
    tag,
    summary: 'Lists online transitions',
    description: 'Returns the transitions that are running or have ended recently.',
    parameters: [
      ofQuery('kind', 'Only transitions of this kind.', { type: 'string', enum: transitionKinds }),
      ofQuery('state', 'Only transitions in this state.', {
        type: 'string',
        enum: transitionStates,
      }),
    ],
    answers: { 200: { description: 'The transitions, by id.', body: 'TransitionList' } },
    examples: [{ answer: { transitions: [] } }],
  },
  {
    method: 'GET',
    path: '/schema/transitions/{transition}',
    id: 'getTransition',
    needs: unrestrictedOr('read', 'schema'),
    tag,
    summary: 'Returns a transition',
    description:
      'With `?wait=5s&generation=7` the server waits up to 5 s until the generation is above 7. Without `generation`, it waits until the generation changes.',
    parameters: [
      transition,
      ofQuery('wait', 'Maximum time to wait, such as `5s` or `500ms`; at most one minute.', {
        type: 'string',
        pattern: '^[0-9]{1,7}(ms|s)$',
      }),
      ofQuery('generation', 'The last generation that the client has received.', {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ],
    answers: {
      200: { description: 'The transition.', body: 'TransitionControl' },
      404: {
        description: 'The transition does not exist, or does not exist any more.',
        body: 'Problem',
      },
    },
  },
  {
    method: 'POST',
    path: '/schema/transitions/{transition}/cancel',
    id: 'cancelTransition',
    needs: scope('schema'),
    tag,
    summary: 'Cancels a transition',
    description:
      'The request has no body. The server removes the data that the transition has created. A transition that is ready or has failed cannot be cancelled.',
    parameters: [transition],
    answers: {
      200: { description: 'The transition after the change.', body: 'TransitionControl' },
      404: {
        description: 'The transition does not exist, or does not exist any more.',
        body: 'Problem',
      },
    },
  },
];
