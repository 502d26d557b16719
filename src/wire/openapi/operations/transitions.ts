/** Online work on the schema. */

import { transitionKinds, transitionStates } from '#catalog';
import type { Operation } from '../operation.ts';
import { ofQuery, transition } from '../parameters.ts';

const tag = 'Transitions';

export const transitionOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/schema/transitions',
    id: 'listTransitions',
    tag,
    summary: 'Online work',
    description: 'What runs, and what has ended lately.',
    parameters: [
      ofQuery('kind', 'Only those of a kind.', { type: 'string', enum: transitionKinds }),
      ofQuery('state', 'Only those in a state.', { type: 'string', enum: transitionStates }),
    ],
    answers: { 200: { description: 'The transitions, by id.', body: 'TransitionList' } },
    examples: [{ answer: { transitions: [] } }],
  },
  {
    method: 'GET',
    path: '/schema/transitions/{transition}',
    id: 'getTransition',
    tag,
    summary: 'One transition',
    description:
      'With `?wait=5s&generation=7` the answer waits up to so long until the generation is above 7; without `generation`, until it is another one.',
    parameters: [
      transition,
      ofQuery('wait', 'How long to wait: `5s`, `500ms`; a minute at most.', {
        type: 'string',
        pattern: '^[0-9]{1,7}(ms|s)$',
      }),
      ofQuery('generation', 'The generation that is known.', {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ],
    answers: {
      200: { description: 'The transition.', body: 'TransitionControl' },
      404: { description: 'There is none, or none any more.', body: 'Problem' },
    },
  },
  {
    method: 'POST',
    path: '/schema/transitions/{transition}/cancel',
    id: 'cancelTransition',
    tag,
    summary: 'Give a transition up',
    description:
      'Takes no body. What it has made is cleared away; one that is ready or has failed cannot be given up any more.',
    parameters: [transition],
    answers: {
      200: { description: 'The transition as it is now.', body: 'TransitionControl' },
      404: { description: 'There is none, or none any more.', body: 'Problem' },
    },
  },
];
