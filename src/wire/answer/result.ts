/** The answers of `/execute` (docs/http.md). */

import { type Static, Type } from '@sinclair/typebox';
import { closed, list, name, optional, ref } from '../schema/shapes.ts';

const StatementResult = closed('What one statement did.', {
  name: name('The name of the statement.'),
  affected: Type.Integer({
    description: 'How many rows it read, created, updated or deleted; 1 for a catalog statement.',
    minimum: 0,
  }),
  control: Type.Unknown({
    description: 'The TransitionControl of a transition that it started, or null.',
  }),
});

export const resultDefinitions = {
  ProgramResult: closed('What a program did.', {
    result: Type.Unknown({
      description: 'The result of the selected statement, shaped as its root says.',
    }),
    statements: list(
      'One entry for each statement, in order of execution.',
      ref<Static<typeof StatementResult>>('StatementResult'),
    ),
    _svc: optional(ref<object>('Extensions')),
    plan: optional(
      Type.Unknown({ description: 'The plan, if it was asked for. Its form may change.' }),
    ),
  }),
  StatementResult,
  Extensions: closed('What the request asked for beside its answer.', {
    diagnostics: Type.Unknown({
      description: 'What the program did (`Svc-Diagnostics`). Its form may change.',
    }),
  }),
};
