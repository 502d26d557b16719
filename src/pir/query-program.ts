/** Converts a query to a program. */

import type { Query } from '#lir';
import type { Program } from './program.ts';

/** Name of the only statement, which does not occur in the document. */
export const queryName = 'query';

export function programOfQuery(relation: Query): Program {
  return { statements: [{ kind: 'query', name: queryName, relation }] };
}
