/** What each reason means and what to do about it, in the words of docs/errors.md. A reason without an entry does not compile. */

import type { Reason } from '#failure';

export const meanings: Readonly<Record<Reason, string>> = {
  schema_violation:
    'The request does not match the grammar: it is not JSON, a member is unknown, missing or malformed, a row has the wrong number of cells, a bool or bytes value is malformed, or a default does not fit. 400 for the whole body, a parameter or a header; 406, 413 and 415 for `Accept`, size and content type; 422 for a relation inside a program, and for values in an otherwise correct document.',
  unknown_node: 'An edge refers to an id that `nodes` does not contain.',
  node_cycle: 'A node refers to itself, directly or through other nodes.',
  shared_node:
    'A node has a second consumer. Use a binding, which any number of `ref` nodes can read.',
  unreachable_node: 'A node has no consumer.',
  unknown_table: 'No table has that name.',
  unknown_column:
    'The scope is visible but does not have this column; or the input of a mutation has a column that its table does not have.',
  unknown_scope:
    'The label is not bound or not visible here; or a `spread` label is not bound below its project.',
  unknown_binding:
    'A `ref` to a missing binding or to a later statement; a `recursive_ref` outside the step of its binding; or a binding without a reference.',
  duplicate_scope: 'A label is bound twice in one document.',
  type_mismatch:
    'A type rule is violated: operands, predicates, arguments, casts, literals, compatible inputs, the columns of a recursive step, NULL in a NOT NULL column, or the columns of a mutation.',
  scalar_arity: 'A `scalar` root or crossing does not have exactly one column.',
  nondeterministic_order:
    'An order, or a limit of one row, is required but not proven: see order and determinism in lir.md.',
  dependent_join:
    'A side of a join, or an input of a set operator, uses a scope of its sibling. Use a crossing.',
  projection_collision:
    'A name occurs twice in an observed output row, or a computed group key has no name.',
  binding_cycle: 'Bindings refer to each other, or a binding to itself, by `ref`.',
  binding_output_collision:
    'A column name occurs twice in the body of a binding; or a binding has the name of a statement.',
  constraint_violation:
    'Rows violate a primary key, unique index, foreign key, `on_delete` or NOT NULL.',
  mutation_target_ambiguous: 'The input of an update or delete contains one row twice.',
  mutation_shape: 'Reserved.',
  invalid:
    'Every other rejection; see `detail`: names of statements, the choice of the result, a violated rule of a catalog statement or a missing permission for it, a crossing in a place where it is not allowed, the position of a `recursive_ref`, an identifier of wrong length, or a limit on the size of programs and keys.',
  read_only: 'A write was sent to a read-only reader.',
  schema_data_loss_acceptance_required:
    'A migration would lose data, and the request does not accept the loss.',
  schema_client_outdated: 'The schema of the client is older than that of the server.',
  schema_server_outdated: 'The schema of the client is newer than that of the server.',
  schema_history_diverged: 'The client has the same schema version with another hash.',
  request_timeout: 'The body did not arrive within its time limit; the connection is closed.',
  method_not_allowed:
    'The route does not support this method; `Allow` contains the supported methods.',
  diagnostics_rejected:
    'The header `Svc-Diagnostics` requests a higher level than the server grants; 400 for an unknown level.',
  division_by_zero: 'A division of int64 or float64 by zero.',
  invalid_argument:
    'A function of an expression got a value that it does not accept, such as a negative length, the logarithm of 0, or a malformed pattern.',
  invalid_text:
    'A function of an expression got a text that does not have the required form, such as `parse_int64` of `abc`.',
  numeric_overflow:
    'int64 arithmetic or a sum is out of range, a float64 is not finite, a cast is out of range, or an increment has reached its maximum.',
  cardinality_violation:
    '`exactly_one` found no row or several rows, or a `scalar` crossing with `check` found several.',
  mutation_target_not_found: 'The input of an update or delete contains a row that does not exist.',
  recursion_limit: 'A recursive binding exceeded 10,000 rounds or 1,000,000 rows.',
  memory_limit:
    'The program needs more memory than `--program-memory-mib`, or than the limit of its API key, for its operators, its body and its response, which contains the changed rows of a mutation unless `result` names a query. Or its spill files exceed their limit or the disk. Or one transaction fills 256 temporary files with its writes. In a bucket store without a spill directory: it writes more than 1 GiB.',
  result_limit:
    'The encoded result is larger than `--max-result-mib`; nothing was sent and nothing was changed.',
  deadline_exceeded:
    'The request took longer than `--statement-timeout-ms` or its header `Svc-Deadline-Ms`, waits included; nothing was changed (large-tables.md describes operations that take longer).',
  execution_failed: 'Another failure of an expression.',
  serializable_conflict:
    'Another commit changed a row that the program read; the program changed nothing. The server runs a program up to three times, the third time with an exclusive commit, before it reports this (pir.md, "Transactions and retries"). A migration is not repeated: compare again.',
  schema_transition_backpressure:
    'Reserved: writes wait until a transition has caught up. This server never reports it (migrations.md, "States that this server never shows").',
  schema_transition_finalizing: 'The table accepts no writes while a transition finishes.',
  schema_transition_not_found: 'No transition has this id.',
  transaction_not_found: 'Reserved.',
  not_found: 'The route does not exist, or the resource is disabled; `resource` names it.',
  internal:
    'A fault of the server. `incident` identifies it in the log, which contains the chain of causes.',
  commit_outcome_unknown:
    'The log failed during the commit: the program may or may not have been committed. Check before you send it again.',
  catalog_corrupt: 'The stored catalog cannot be read.',
  catalog_schema_drift:
    'The stored schema revision and the stored catalog disagree: the database is not opened.',
  storage_unavailable:
    'The storage failed. 503 if the database is not open yet, if the server stops, or if the snapshot of a reader has expired: nothing was changed.',
  overloaded:
    'The server or its storage is overloaded: too many programs wait, all programs together use too much memory, too many response bytes are unsent, writes exceed the speed of the storage, or the storage is full (see the detail). Nothing was changed. `Retry-After` contains the delay.',
  missing_token: 'The server requires an access token, and the request has none.',
  invalid_token:
    'The access token is malformed, unknown, expired or revoked. The response does not say which.',
  insufficient_scope:
    'The access token does not permit this request: it has no scope for it, or no grant of the action on a table. `detail` names what is missing.',
  policy_violation:
    'A new row, or the new values of a row, do not satisfy the row policy of the table.',
  rate_limited:
    'The principal sends more requests per second than its key or `--rate-limit` permits; nothing was done.',
  too_many_failures:
    'The address has sent too many invalid access tokens. Valid tokens that the server knows still work.',
};
