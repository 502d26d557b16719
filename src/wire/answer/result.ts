/** Definitions of the responses of `/execute` (docs/http.md). */

import { type Static, Type } from '@sinclair/typebox';
import { closed, list, name, optional, ref } from '../schema/shapes.ts';

const StatementResult = closed('The outcome of one statement.', {
  name: name('The name of the statement.'),
  affected: Type.Integer({
    description:
      'Number of rows that it read, created, updated or deleted; 1 for a catalog statement.',
    minimum: 0,
  }),
  control: Type.Unknown({
    description: 'The TransitionControl of a transition that it started, or null.',
  }),
});

export const resultDefinitions = {
  ProgramResult: closed('The outcome of a program.', {
    result: Type.Unknown({
      description: 'The result of the selected statement, in the shape that its root selects.',
    }),
    statements: list(
      'One entry for each statement, in order of execution.',
      ref<Static<typeof StatementResult>>('StatementResult'),
    ),
    _svc: optional(ref<object>('Extensions')),
    plan: optional(
      Type.Unknown({ description: 'The plan, if the request asked for it. Its form may change.' }),
    ),
  }),
  StatementResult,
  Extensions: closed('Additional data that the request asked for.', {
    diagnostics: Type.Unknown({
      description:
        'Diagnostics of the execution, requested with the header `Svc-Diagnostics`. Their form may change.',
    }),
  }),
};
