/**
 * A typed client of the HTTP interface, for the command line and for other programs that administer a database from outside.
 *
 * Terms: an *address* is the form that users write (`svc://host:port`), and an *origin* is the URL to which requests go. A *connection* sends requests with a
 * time limit. If it has a token file, it reads the token again for each request. `SchemaApi` covers schemas and transitions, `KeyApi` covers API keys, `ProgramApi` covers the plans of
 * programs, and `StatisticsApi` covers the statistics of the admin listener. A rejected request throws `ServerProblem` with the whole problem document. A
 * missing response throws `Unreachable`.
 *
 * Nothing here retries a request. The comment of a method states whether repeating it is safe.
 */

export { originOf } from './address.ts';
export { Connection } from './connection.ts';
export { ServerProblem, Unreachable } from './failure.ts';
export {
  KeyApi,
  type NewKeyRequest,
} from './key-api.ts';
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
  SchemaDiff,
  SchemaState,
  WireDiffFinding,
  WireSchemaChange,
  WireTransition,
} from './shapes.ts';
export { isTerminal } from './shapes.ts';
export { type Erased, StatisticsApi } from './statistics-api.ts';
