/**
 * The registry of problem reasons (docs/errors.md). One row per reason determines the code, the status and the stage of
 * a problem.
 */

export type Stage = 'schema' | 'preflight' | 'binding' | 'planning' | 'execution' | 'storage';

export type Code =
  | 'invalid'
  | 'execution_failed'
  | 'not_found'
  | 'conflict'
  | 'internal'
  | 'unauthenticated'
  | 'forbidden'
  | 'limited';

interface ReasonRow {
  readonly code: Code;
  readonly status: number;
  readonly stage: Stage;
  /** Whether the same request can succeed if it is sent again. */
  readonly retryable: boolean;
}

const row = (code: Code, status: number, stage: Stage, retryable = false): ReasonRow => ({
  code,
  status,
  stage,
  retryable,
});
const binding = row('invalid', 422, 'binding');
const preflight = row('invalid', 422, 'preflight');
const runtime = row('execution_failed', 422, 'execution');
const constraint = row('invalid', 422, 'execution');
const race = row('conflict', 409, 'execution', true);
const unknown = row('unauthenticated', 401, 'preflight');
const missing = row('not_found', 404, 'preflight');

export const reasons = {
  schema_violation: row('invalid', 422, 'schema'),
  unknown_node: preflight,
  node_cycle: preflight,
  shared_node: preflight,
  unreachable_node: preflight,
  unknown_table: binding,
  unknown_column: binding,
  unknown_scope: binding,
  unknown_binding: binding,
  duplicate_scope: binding,
  type_mismatch: binding,
  scalar_arity: binding,
  nondeterministic_order: binding,
  dependent_join: binding,
  projection_collision: binding,
  binding_cycle: binding,
  binding_output_collision: binding,
  constraint_violation: constraint,
  mutation_target_ambiguous: constraint,
  mutation_shape: preflight,
  invalid: preflight,
  read_only: row('invalid', 403, 'preflight'),
  schema_data_loss_acceptance_required: preflight,
  schema_client_outdated: row('invalid', 422, 'schema'),
  schema_server_outdated: row('invalid', 422, 'schema'),
  schema_history_diverged: row('invalid', 422, 'schema'),
  request_timeout: row('invalid', 408, 'schema', true),
  method_not_allowed: row('invalid', 405, 'schema'),
  diagnostics_rejected: row('invalid', 403, 'schema'),
  division_by_zero: runtime,
  invalid_argument: runtime,
  invalid_text: runtime,
  numeric_overflow: runtime,
  cardinality_violation: runtime,
  mutation_target_not_found: runtime,
  recursion_limit: runtime,
  memory_limit: runtime,
  result_limit: runtime,
  deadline_exceeded: runtime,
  execution_failed: runtime,
  serializable_conflict: race,
  schema_transition_backpressure: race,
  schema_transition_finalizing: race,
  schema_transition_not_found: missing,
  transaction_not_found: missing,
  not_found: missing,
  internal: row('internal', 500, 'execution', true),
  commit_outcome_unknown: row('internal', 500, 'storage'),
  catalog_corrupt: row('internal', 500, 'storage'),
  catalog_schema_drift: row('internal', 500, 'storage'),
  storage_unavailable: row('internal', 500, 'storage', true),
  overloaded: row('internal', 503, 'execution', true),
  missing_token: unknown,
  invalid_token: unknown,
  insufficient_scope: row('forbidden', 403, 'preflight'),
  policy_violation: row('forbidden', 403, 'execution'),
  rate_limited: row('limited', 429, 'preflight', true),
  too_many_failures: row('limited', 429, 'preflight', true),
} as const satisfies Record<string, ReasonRow>;

export type Reason = keyof typeof reasons;

export const titles: Readonly<Record<Code, string>> = {
  invalid: 'Invalid Request',
  execution_failed: 'Query Execution Failed',
  not_found: 'Not Found',
  conflict: 'Transaction Conflict',
  internal: 'Internal Server Error',
  unauthenticated: 'Unauthenticated',
  forbidden: 'Forbidden',
  limited: 'Too Many Requests',
};
