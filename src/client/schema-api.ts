/** The part of the interface about schemas and transitions. */

import type { Connection } from './connection.ts';
import type {
  DatabaseInfo,
  Health,
  MigrateResult,
  SchemaDiff,
  SchemaFinding,
  SchemaState,
  Transition,
  TransitionFilter,
} from './shapes.ts';

/** All throw ServerProblem or Unreachable. */
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

  /** `schema` is the text of a schema file. */
  diff(schema: string): Promise<SchemaDiff> {
    return this.ask('POST', '/schema/diff', { schema });
  }

  /** Repeating it after a lost answer is safe. */
  migrate(request: {
    readonly schema: string;
    readonly current_version: number;
    readonly current_hash: string;
    readonly accept_data_loss: boolean;
    /** What was agreed to: anything else that would be lost is refused. */
    readonly accepted_losses?: readonly Pick<SchemaFinding, 'kind' | 'table' | 'column'>[];
    /** What `info` called the database that the difference was made with. */
    readonly database_id?: string;
  }): Promise<MigrateResult> {
    return this.ask('POST', '/schema/migrate', request);
  }

  /** Whether the table has a row. */
  async holdsRows(table: string): Promise<boolean> {
    const found = { as: 'found', expr: { kind: 'exists', node: 's' } };
    return this.evaluate<boolean>({
      one: { kind: 'rows', scope: 'o', columns: [{ name: 'n', type: 'int64' }], rows: [['1']] },
      s: { kind: 'scan', table, scope: 't' },
      answer: { kind: 'project', input: 'one', fields: [found] },
    });
  }

  /** How many rows the table has; all of them are visited. */
  count(table: string): Promise<number> {
    return this.evaluate<number>({
      s: { kind: 'scan', table, scope: 't' },
      answer: { kind: 'aggregate', input: 's', scope: 'a', aggs: [{ fn: 'count', as: 'rows' }] },
    });
  }

  /** Runs a program, given as JSON text. */
  async execute(program: string): Promise<void> {
    await this.ask('POST', '/execute', program);
  }

  async transitions(filter: TransitionFilter = {}): Promise<readonly Transition[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given).toString();
    const path = `/schema/transitions${query === '' ? '' : `?${query}`}`;
    return (await this.ask<{ transitions: Transition[] }>('GET', path)).transitions;
  }

  transition(id: string): Promise<Transition> {
    return this.ask('GET', `/schema/transitions/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<Transition> {
    return this.ask('POST', `/schema/transitions/${encodeURIComponent(id)}/cancel`);
  }

  /** The one value of the node `answer`. */
  private async evaluate<Value>(nodes: Readonly<Record<string, object>>): Promise<Value> {
    const relation = { nodes, root: { node: 'answer', cardinality: 'scalar' } };
    const program = { statements: [{ kind: 'query', name: 'q', relation }] };
    return (await this.ask<{ result: Value }>('POST', '/execute', program)).result;
  }

  private async ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return (await this.connection.send(method, path, body)) as Answer;
  }
}
