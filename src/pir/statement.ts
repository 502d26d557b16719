/** The kinds of statements (docs/pir.md). */

import type {
  CatalogStatement,
  MutationStatement,
  RelationalStatement,
  Statement,
  TransitionStatement,
} from './program.ts';

/** Returns whether a statement has a relation: its name becomes a binding of later statements. */
export function isRelational(
  statement: Statement,
): statement is RelationalStatement | MutationStatement {
  switch (statement.kind) {
    case 'query':
    case 'create':
    case 'update':
    case 'delete':
      return true;
    default:
      return false;
  }
}

export function isMutation(statement: Statement): statement is MutationStatement {
  return isRelational(statement) && statement.kind !== 'query';
}

/** Returns whether a statement starts durable work that continues after the commit. */
export function isTransition(statement: Statement): statement is TransitionStatement {
  switch (statement.kind) {
    case 'start_index_build':
    case 'start_column_replacement':
    case 'start_constraint_validation':
      return true;
    default:
      return false;
  }
}

export function isCatalog(statement: Statement): statement is CatalogStatement {
  return !isRelational(statement) && !isTransition(statement);
}
