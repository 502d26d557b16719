/** A database that is migrated through HTTP, and rows before and after. */

import { expect } from 'bun:test';
import { anyone } from '#access';
import { openTestDatabase, type Reply, type TestDatabase } from '../../support/database.ts';

export type Mode = 'direct' | 'schema';

export interface Change {
  readonly kind: string;
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
}

export interface Finding extends Change {
  readonly rows?: number;
}

export interface Diff {
  readonly current_version: number;
  readonly current_hash: string;
  readonly desired_hash: string;
  readonly changes: readonly Change[];
  readonly program: { readonly statements: readonly Readonly<Record<string, unknown>>[] };
  readonly destructive: readonly Finding[];
  readonly blocking: readonly Finding[];
}

export interface Migrated {
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema: { readonly tables: readonly Readonly<Record<string, unknown>>[] };
  readonly changes: readonly Change[];
  readonly desired_hash: string;
  readonly state: 'ready' | 'converging';
  readonly transition_ids: readonly string[];
}

export interface Problem {
  readonly status: number;
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
  readonly errors?: readonly { readonly reason: string; readonly detail: string }[];
}

export class Project implements AsyncDisposable {
  readonly db: TestDatabase;

  constructor(db: TestDatabase) {
    this.db = db;
  }

  /** The difference, which must be expressible. */
  async diff(schema: string): Promise<Diff> {
    const reply = await this.db.send('POST', '/schema/diff', { schema });
    expect([reply.status, reply.text.slice(0, 300)]).toEqual([200, expect.anything()]);
    return reply.json as Diff;
  }

  /** Compares, then migrates from what was compared. */
  async tryMigrate(schema: string, more: object = {}): Promise<Reply> {
    const state = (await this.db.send('GET', '/schema')).json as {
      schema_version: number;
      schema_hash: string;
    };
    return this.db.send('POST', '/schema/migrate', {
      schema,
      current_version: state.schema_version,
      current_hash: state.schema_hash,
      ...more,
    });
  }

  async migrate(schema: string, more: object = {}): Promise<Migrated> {
    const reply = await this.tryMigrate(schema, more);
    expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, '']);
    return reply.json as Migrated;
  }

  /** Migrates, and waits until all online work has arrived. */
  async arrive(schema: string, more: object = {}): Promise<Migrated> {
    const migrated = await this.migrate(schema, more);
    for (const id of migrated.transition_ids) {
      expect([id, await this.endOf(id)]).toEqual([id, 'ready']);
    }
    const { current_hash, desired_hash } = await this.diff(schema);
    expect(current_hash).toBe(desired_hash);
    return migrated;
  }

  /** The state in which a transition ends. */
  async endOf(id: string): Promise<string> {
    for (let generation = 0; ; ) {
      const control = await this.db.engine.transitions.getAfter(id, generation, 10_000, anyone);
      if (['ready', 'failed', 'cancelled'].includes(control.state)) return control.state;
      generation = control.generation;
    }
  }

  /** Online work that is started from now on stays as it is started. */
  async holdWork(): Promise<void> {
    await this.db.engine.transitions.stop();
  }

  /** The refusal of a migration. */
  async refused(schema: string, more: object = {}): Promise<Problem> {
    const reply = await this.tryMigrate(schema, more);
    expect([reply.status >= 400, reply.text.slice(0, 200)]).toEqual([true, expect.anything()]);
    return reply.json as Problem;
  }

  /** `columns` as `name:type`, with `?` behind a nullable one; cells as text, null for NULL. */
  async insert(
    table: string,
    columns: string,
    ...rows: readonly (readonly (string | null)[])[]
  ): Promise<void> {
    const reply = await this.db.send('POST', '/execute', mutation('create', table, columns, rows));
    expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, '']);
  }

  /** As `insert`; the columns are those of the primary key. */
  async delete(
    table: string,
    columns: string,
    ...rows: readonly (readonly string[])[]
  ): Promise<void> {
    const reply = await this.db.send('POST', '/execute', mutation('delete', table, columns, rows));
    expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, '']);
  }

  async insertReply(
    table: string,
    columns: string,
    ...rows: readonly (readonly (string | null)[])[]
  ): Promise<Reply> {
    return this.db.send('POST', '/execute', mutation('create', table, columns, rows));
  }

  /** All rows by id. */
  async rows(table: string): Promise<readonly unknown[]> {
    const relation = {
      nodes: {
        t: { kind: 'scan', table, scope: 't' },
        o: {
          kind: 'order',
          input: 't',
          terms: [{ expr: { kind: 'col', scope: 't', column: 'id' } }],
        },
      },
      root: { node: 'o', cardinality: 'many' },
    };
    const statements = [{ kind: 'query', name: 'q', relation }];
    const reply = await this.db.send('POST', '/execute', { statements });
    expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, '']);
    return (reply.json as { result: readonly unknown[] }).result;
  }

  async version(): Promise<number> {
    const { json } = await this.db.send('GET', '/schema');
    return (json as { schema_version: number }).schema_version;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db[Symbol.asyncDispose]();
  }
}

function mutation(
  kind: 'create' | 'delete',
  table: string,
  columns: string,
  rows: readonly (readonly (string | null)[])[],
): unknown {
  const described = columns.split(' ').map((column) => {
    const [name = '', type = ''] = column.replace('?', '').split(':');
    return { name, type, ...(column.endsWith('?') && { nullable: true }) };
  });
  const node = { kind: 'rows', scope: 'r', columns: described, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind, name: 'c', table, relation }] };
}

/** A database at `schema`, reached by a migration from nothing. */
export async function openProject(mode: Mode, schema: string): Promise<Project> {
  const project = new Project(await openTestDatabase(mode));
  await project.arrive(schema);
  return project;
}

/** A table in flow style: `columns` are flow mappings without their braces; `more` are further members. */
export function table(id: number, name: string, columns: readonly string[], more = ''): string {
  const lines = columns.map((column) => `      - { ${column} }\n`).join('');
  return `  - id: ${id}\n    name: ${name}\n    columns:\n${lines}${more === '' ? '' : `    ${more}\n`}`;
}

export function schema(...tables: readonly string[]): string {
  return tables.length === 0 ? 'tables: []\n' : `tables:\n${tables.join('')}`;
}

export function summaries(changes: readonly Change[]): readonly string[] {
  return changes.map(({ summary }) => summary);
}
