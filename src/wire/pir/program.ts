/** The definition of a PIR document (docs/pir.md §1), together with all other definitions of the PIR grammar. */

import type { Statement } from '#pir';
import { closed, list, name, optional, ref, variants } from '../schema/shapes.ts';
import { catalogDefinitions } from './catalog-statement.ts';
import { definitionDefinitions } from './definition.ts';
import { relationalDefinitions, transitionDefinitions } from './statement.ts';

const statementDefinitions = {
  ...relationalDefinitions,
  ...catalogDefinitions,
  ...transitionDefinitions,
};

export const pirDefinitions = {
  Program: closed('An ordered list of named statements, run as one atomic transaction.', {
    statements: list('The statements, run in order.', ref<Statement>('Statement'), 1),
    result: optional(
      name('The statement whose result is returned; required if there are two statements or more.'),
    ),
  }),
  Statement: variants<Statement>('One step of the program.', Object.keys(statementDefinitions)),
  ...statementDefinitions,
  ...definitionDefinitions,
};
