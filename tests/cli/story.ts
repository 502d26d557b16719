/** What stories are told with: databases, projects in directories of their own, rows. */

import { afterAll, expect } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

let home = '';
const servers: ServerProcess[] = [];

/** Called once by each file of stories: the directory that all of its projects are in, until its tests have ended. */
export function newStage(): string {
  home = mkdtempSync(join(tmpdir(), 'svc-stories-'));
  const directory = home;
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.splice(0).map((server) => server.exited));
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

export async function database(...flags: readonly string[]): Promise<ServerProcess> {
  const storage = flags.length > 0 ? flags : ['--storage', 'memory'];
  const server = await startServerProcess([...storage, '--catalog-mode', 'schema']);
  servers.push(server);
  return server;
}

export const addressOf = (server: ServerProcess) => `svc://127.0.0.1:${server.port}`;

export class Project {
  readonly root: string;

  constructor(name: string) {
    this.root = join(home, name);
  }

  static async made(name: string, server: ServerProcess, schema: string): Promise<Project> {
    const project = new Project(name);
    const url = addressOf(server);
    await runCommand(['init', project.root, '--yes', '--database-url', url], {}, home);
    project.write(schema);
    return project;
  }

  /** What a colleague gets who clones the repository. */
  cloned(name: string): Project {
    const clone = new Project(name);
    cpSync(this.root, clone.root, { recursive: true });
    return clone;
  }

  get schema(): string {
    return readFileSync(join(this.root, 'svc.schema.yaml'), 'utf8');
  }

  write(schema: string): void {
    writeFileSync(join(this.root, 'svc.schema.yaml'), schema);
  }

  edit(from: string, to: string): void {
    expect(this.schema).toContain(from);
    this.write(this.schema.replace(from, to));
  }

  async run(...argv: readonly string[]) {
    const { exitCode, stdout, stderr } = await runCommand(argv, {}, this.root);
    return { exitCode, stdout, stderr, text: stdout + stderr };
  }

  async json(...argv: readonly string[]) {
    const { exitCode, stdout, stderr } = await this.run(...argv, '--json');
    return { exitCode, document: JSON.parse(stdout || stderr.slice(stderr.indexOf('{\n'))) };
  }

  async status(...flags: readonly string[]): Promise<string> {
    return (await this.json('schema', 'status', ...flags)).document.status;
  }
}

export const users = `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: email, type: text }
`;
export const city = '      - { id: 3, name: city, type: text, nullable: true }\n';
export const orders = `  - id: 2
    name: orders
    columns:
      - { id: 1, name: id, type: int64, pk: true }
`;

export type Cell = readonly [column: string, type: string, value: string];

export function addUser(server: ServerProcess, id: number): Promise<void> {
  return addRow(server, 'users', [
    ['id', 'int64', String(id)],
    ['email', 'text', `user${id}@example.org`],
  ]);
}

export async function addRow(
  server: ServerProcess,
  table: string,
  cells: readonly Cell[],
): Promise<void> {
  const columns = cells.map(([name, type]) => ({ name, type }));
  const r = { kind: 'rows', scope: 'r', columns, rows: [cells.map(([, , value]) => value)] };
  const relation = { nodes: { r }, root: { node: 'r', cardinality: 'many' } };
  const statements = [{ kind: 'create', name: 'c', table, relation }];
  const response = await fetch(`${server.url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements }),
  });
  expect(response.status).toBe(200);
}

export async function ask<Answer>(server: ServerProcess, path: string): Promise<Answer> {
  return (await (await fetch(server.url + path)).json()) as Answer;
}

export async function tablesOf(server: ServerProcess): Promise<readonly string[]> {
  const { tables } = await ask<{ tables: readonly { name: string }[] }>(server, '/tables');
  return tables.map(({ name }) => name);
}
