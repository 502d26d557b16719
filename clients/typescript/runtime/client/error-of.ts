/** From a problem document to the class of its error: by reason, else by code. */

import {
  type Attempted,
  AuthError,
  CardinalityError,
  ConflictError,
  ConstraintError,
  EnsureError,
  ExecutionError,
  InternalError,
  InvalidError,
  LimitError,
  NotFoundError,
  OutcomeUnknownError,
  OverloadedError,
  type Problem,
  ReadOnlyError,
  SchemaMismatchError,
  SvcError,
  TargetNotFoundError,
} from './errors.ts';
import { guardPrefix, statementOf } from './failed-statement.ts';

const byReason: Readonly<Record<string, typeof SvcError>> = {
  constraint_violation: ConstraintError,
  read_only: ReadOnlyError,
  schema_client_outdated: SchemaMismatchError,
  schema_server_outdated: SchemaMismatchError,
  schema_history_diverged: SchemaMismatchError,
  cardinality_violation: CardinalityError,
  mutation_target_not_found: TargetNotFoundError,
  recursion_limit: LimitError,
  memory_limit: LimitError,
  result_limit: LimitError,
  deadline_exceeded: LimitError,
  commit_outcome_unknown: OutcomeUnknownError,
  overloaded: OverloadedError,
};

const byCode: Readonly<Record<string, typeof SvcError>> = {
  invalid: InvalidError,
  execution_failed: ExecutionError,
  conflict: ConflictError,
  not_found: NotFoundError,
  unauthenticated: AuthError,
  forbidden: AuthError,
  internal: InternalError,
};

export function errorOf(problem: Problem, at: Attempted): SvcError {
  const isGuard =
    problem.reason === 'division_by_zero' && statementOf(problem).startsWith(guardPrefix);
  const type = isGuard ? EnsureError : (own(byReason, problem.reason) ?? own(byCode, problem.code));
  return new (type ?? SvcError)(problem, at);
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
