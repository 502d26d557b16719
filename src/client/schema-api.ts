/** The part of the interface about schemas and transitions. */

import type { Connection } from './connection.ts';
import type {
  Health,
  MigrateResult,
  SchemaDiff,
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
  }): Promise<MigrateResult> {
    return this.ask('POST', '/schema/migrate', request);
  }

  async transitions(filter: TransitionFilter = {}): Promise<readonly Transition[]> {
    const query = new URLSearchParams({ ...filter }).toString();
    const path = `/schema/transitions${query === '' ? '' : `?${query}`}`;
    return (await this.ask<{ transitions: Transition[] }>('GET', path)).transitions;
  }

  transition(id: string): Promise<Transition> {
    return this.ask('GET', `/schema/transitions/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<Transition> {
    return this.ask('POST', `/schema/transitions/${encodeURIComponent(id)}/cancel`);
  }

  private async ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return (await this.connection.send(method, path, body)) as Answer;
  }
}
