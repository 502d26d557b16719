/** What each reason means and what to do about it, in the words of docs/errors.md. A reason without an entry does not compile. */

import type { Reason } from '#failure';

export const meanings: Readonly<Record<Reason, string>> = {
  schema_violation:
    'The request is not of the grammar: not JSON, a member that is unknown, missing or of the wrong form; a row with the wrong number of cells; a bad bool or bytes value; a default that does not fit. 400 for the body as a whole, a parameter or a header; 406, 413 and 415 for `Accept`, size and content type; 422 for a relation inside a program, and for values in a document that is otherwise right.',
  unknown_node: 'An edge leads to an id that `nodes` does not have.',
  node_cycle: 'A node leads back to itself.',
  shared_node: 'A node has a second consumer. Use a binding, which any number of `ref` may read.',
  unreachable_node: 'A node has no consumer.',
  unknown_table: 'No table has that name.',
  unknown_column:
    'The scope is visible and has no such column; or the input of a mutation has a column that its table does not have.',
  unknown_scope:
    'The label is bound nowhere, or not visible here; or a `spread` label is not bound beneath its project.',
  unknown_binding:
    'A `ref` to nothing, or to a later statement; a `recursive_ref` outside the step of its binding; a binding that nothing refers to.',
  duplicate_scope: 'A label is bound twice in one document.',
  type_mismatch:
    'A rule of types is broken: operands, predicates, arguments, casts, literals, compatible inputs, the columns of a recursive step, NULL in a column that takes none, the columns of a mutation.',
  scalar_arity: 'A `scalar` root or crossing has not exactly one column.',
  nondeterministic_order:
    'An order or a bound of one row is needed and not proven: see order and determinism in lir.md.',
  dependent_join:
    'A side of a join, or an input of a set operator, uses a scope of its sibling. Use a crossing.',
  projection_collision:
    'A name appears twice in an output row that is observed, or a group key that is no column has no name.',
  binding_cycle: 'Bindings refer to each other, or one to itself, by `ref`.',
  binding_output_collision:
    'A column name appears twice in the body of a binding; or a binding has the name of a statement.',
  constraint_violation:
    'Primary key, unique index, foreign key, `on_delete` or NOT NULL is violated by the rows.',
  mutation_target_ambiguous: 'The input of an update or delete names one row twice.',
  mutation_shape: 'Reserved.',
  invalid:
    'Every other rejection, `detail` says which: names of statements, the choice of the result, a broken rule of a catalog statement or no authority for it, a crossing where none may be, the position of a `recursive_ref`, an identifier of wrong length, a limit on the size of programs and keys.',
  read_only: 'A write was sent to a process that only reads.',
  schema_data_loss_acceptance_required:
    'A migration would lose data, and the request does not accept that.',
  schema_client_outdated: 'The schema of the client is older than that of the server.',
  schema_server_outdated: 'The schema of the client is newer than that of the server.',
  schema_history_diverged: 'The same schema version, with another hash.',
  request_timeout: 'The body did not arrive in its time; the connection is closed.',
  method_not_allowed: 'The route exists, and not with this method; `Allow` has the methods.',
  diagnostics_rejected:
    'The header `Svc-Diagnostics` asks for more than the server grants; 400 for an unknown level.',
  division_by_zero: 'A division of int64 or float64 by zero.',
  numeric_overflow:
    'int64 arithmetic or a sum out of range, a float64 that is not finite, a cast out of range, an increment at its end.',
  cardinality_violation: '`exactly_one` found no row, or more than one.',
  mutation_target_not_found: 'The input of an update or delete names a row that does not exist.',
  recursion_limit: 'A recursive binding passed 10,000 rounds or 1,000,000 rows.',
  memory_limit:
    'The program needs more memory than `--program-memory-mib`: its operators, its body and its answer count; with `--spill-path`, that there was no room on the disk. Or it writes more than 1 GiB in one transaction.',
  result_limit:
    'The encoded result is larger than `--max-result-mib`; nothing was sent, and nothing of the program has happened.',
  deadline_exceeded:
    'The request took longer than `--statement-timeout-ms` or its header `Svc-Deadline-Ms`, waiting included; nothing of it has happened.',
  execution_failed: 'Another failure of an expression.',
  serializable_conflict:
    'Another commit changed a row that the program read; the program changed nothing. The server runs a program up to three times, the third time with an exclusive commit, before it reports this (pir.md, "Transactions and retries"). A migration is not repeated: compare again.',
  schema_transition_backpressure:
    'Reserved: writes wait until a transition has caught up. This server never reports it (migrations.md, "States that this server never shows").',
  schema_transition_finalizing: 'The table takes no writes while a transition finishes.',
  schema_transition_not_found: 'No transition has that id.',
  transaction_not_found: 'Reserved.',
  not_found: 'No such route, or a resource that is switched off; `resource` says which.',
  internal: 'A fault of the server. `incident` finds it in the log, and there the chain of causes.',
  commit_outcome_unknown:
    'The log failed during the commit: the program may or may not have happened. Look before you send it again.',
  catalog_corrupt: 'The stored catalog cannot be read.',
  catalog_schema_drift:
    'The stored schema revision and the stored catalog disagree: the database is not opened.',
  storage_unavailable: 'The storage failed or is closed; 503 while the database is not open yet.',
  overloaded:
    'Too many programs wait, or hold too much memory together, or too much of answers is unsent, writes come faster than the storage takes them, or the storage has no room left (the detail says which); nothing happened. `Retry-After` says when to come back.',
};
