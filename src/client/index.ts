/**
 * A typed client of the HTTP interface, for the command line and whatever else administers a database from outside.
 *
 * Nouns: an *address* is what users write (`svc://host:port`), an *origin* where requests go; a *connection* sends requests with a
 * time limit and, if there is a token file, its token, read anew for each request; `SchemaApi` is the part of the interface about
 * schemas and transitions, `ProgramApi` that about the plans of programs, `StatisticsApi` that of the admin listener about statistics. A server's refusal is a `ServerProblem` with the whole problem document, silence is `Unreachable`.
 * Nothing here retries: a command says so when a repetition is safe.
 */

export { originOf } from './address.ts';
export { Connection } from './connection.ts';
export { ServerProblem, Unreachable } from './failure.ts';
export type {
  OperatorMeasure,
  PlanNode,
  ProgramDiagnostics,
  QueryView,
  StatementDiagnostics,
} from './plan-shapes.ts';
export { type Explained, explainedIn, ProgramApi } from './program-api.ts';
export { type Samples, scrape } from './samples.ts';
export { SchemaApi } from './schema-api.ts';
export type {
  MigrateResult,
  SchemaChange,
  SchemaDiff,
  SchemaFinding,
  SchemaState,
  Transition,
} from './shapes.ts';
export { isTerminal } from './shapes.ts';
export { type Erased, StatisticsApi } from './statistics-api.ts';
