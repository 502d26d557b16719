/** The part of the interface about schemas and transitions. */

import type { Connection } from './connection.ts';
import type {
  DatabaseInfo,
  Health,
  MigrateResult,
  SchemaDiff,
  SchemaState,
  WireDiffFinding,
  WireTransition,
  WireTransitionFilter,
} from './shapes.ts';

/** Requests about schemas and transitions. All methods throw ServerProblem or Unreachable. */
export class SchemaApi {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get origin(): string {
    return this.connection.origin;
  }

  health(): Promise<Health> {
    return this.ask('GET', '/healthz');
  }

  info(): Promise<DatabaseInfo> {
    return this.ask('GET', '/info');
  }

  schema(): Promise<SchemaState> {
    return this.ask('GET', '/schema');
  }

  /** Compares the database with `schema`, the text of a schema file. */
  diff(schema: string): Promise<SchemaDiff> {
    return this.ask('POST', '/schema/diff', { schema });
  }

  /** Migrates the database. Repeating it after a lost response is safe. */
  migrate(request: {
    readonly schema: string;
    readonly current_version: number;
    readonly current_hash: string;
    /** The server rejects a change of other policies. */
    readonly current_policy_hash?: string;
    readonly accept_data_loss: boolean;
    /** The confirmed losses. The server rejects a migration with any other loss. */
    readonly accepted_losses?: readonly Pick<WireDiffFinding, 'kind' | 'table' | 'column'>[];
    /** The database id that `info` returned for the database of the diff. */
    readonly database_id?: string;
  }): Promise<MigrateResult> {
    return this.ask('POST', '/schema/migrate', request);
  }

  /** Returns whether the table has a row. */
  async holdsRows(table: string): Promise<boolean> {
    const found = { as: 'found', expr: { kind: 'exists', node: 's' } };
    return this.evaluate<boolean>({
      one: { kind: 'rows', scope: 'o', columns: [{ name: 'n', type: 'int64' }], rows: [['1']] },
      s: { kind: 'scan', table, scope: 't' },
      answer: { kind: 'project', input: 'one', fields: [found] },
    });
  }

  /** Returns the number of rows of the table. The query visits all of them. */
  count(table: string): Promise<number> {
    return this.evaluate<number>({
      s: { kind: 'scan', table, scope: 't' },
      answer: { kind: 'aggregate', input: 's', scope: 'a', aggs: [{ fn: 'count', as: 'rows' }] },
    });
  }

  /** Executes a program, given as JSON text. */
  async execute(program: string): Promise<void> {
    await this.ask('POST', '/execute', program);
  }

  async transitions(filter: WireTransitionFilter = {}): Promise<readonly WireTransition[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given).toString();
    const path = `/schema/transitions${query === '' ? '' : `?${query}`}`;
    return (await this.ask<{ transitions: WireTransition[] }>('GET', path)).transitions;
  }

  transition(id: string): Promise<WireTransition> {
    return this.ask('GET', `/schema/transitions/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<WireTransition> {
    return this.ask('POST', `/schema/transitions/${encodeURIComponent(id)}/cancel`);
  }

  /** Executes a query and returns the value of its node `answer`. */
  private async evaluate<Value>(nodes: Readonly<Record<string, object>>): Promise<Value> {
    const relation = { nodes, root: { node: 'answer', cardinality: 'scalar' } };
    const program = { statements: [{ kind: 'query', name: 'q', relation }] };
    return (await this.ask<{ result: Value }>('POST', '/execute', program)).result;
  }

  private async ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return (await this.connection.send(method, path, body)) as Answer;
  }
}
