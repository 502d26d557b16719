/**
 * The PostgreSQL protocol, version 3.0 (docs/postgres.md): sockets, messages, sessions and portals. SQL itself is the work of `sql`.
 *
 * Terms: a session belongs to one connection and has settings, named statements and at most one transaction. A statement outside of a transaction block is an
 * ordinary program, which the engine repeats after a conflict. Statements of a pipeline or of one text form an implicit transaction.
 *
 * Invariants: no byte of a result leaves before the state in the result is durable. A change whose result cannot be shown is not committed. An error inside a
 * pipeline undoes all of the pipeline.
 *
 * Start with `listener/connection.ts` and `session/session.ts`.
 */

export { type ConnectionEvent, PostgresListener } from './listener/listener.ts';
export { sql } from './run/language.ts';
export { openStatements } from './run/statements.ts';
export { Views } from './run/views.ts';
