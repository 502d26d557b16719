/** PostgreSQL as a server on the loopback address, without parallel workers. It loads CSV files by COPY. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SQL } from 'bun';
import { endAtExit } from '../../../tests/hostile/target/at-exit.ts';
import { csvPath } from './csv.ts';
import type { Engine } from './engine.ts';
import { createIndex, createTable, dropIndex } from './sql.ts';

const debian = '/usr/lib/postgresql';
const startupMs = 30_000;

/** `directory` contains the CSV files and receives the data. Throws if PostgreSQL cannot run there. */
export async function postgres(directory: string): Promise<Engine> {
  const binaries = findBinaries();
  chmodSync(directory, 0o711);
  const root = mkdtempSync(join(directory, 'postgres-'));
  const data = join(root, 'data');
  mkdirSync(data);
  if (process.getuid?.() === 0) await finished(['chown', '-R', 'postgres', root]);
  await finished(asUser([join(binaries, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust']));
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: root };
  const limits = { shared_buffers: '256MB', max_parallel_workers_per_gather: 0 };
  const options = {
    ...settings,
    ...limits,
    max_parallel_maintenance_workers: 0,
    max_wal_size: '2GB',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = asUser([join(binaries, 'postgres'), '-D', data, ...flags]);
  const child = Bun.spawn(command, { cwd: root, stdout: 'ignore', stderr: 'ignore' });
  const forget = endAtExit(child.pid);
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
    forget();
    rmSync(root, { recursive: true, force: true });
  };
  const sql = await connected(port).catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  return engine(directory, sql, stop);
}

function engine(directory: string, sql: SQL, stop: () => Promise<void>): Engine {
  const run = async (text: string) => {
    await sql.unsafe(text);
  };
  return {
    name: 'postgres',
    load: async (table, indexes = []) => {
      await run(createTable(table));
      for (const columns of indexes) await run(createIndex(table, columns));
      await run(`copy ${table.name} from '${csvPath(directory, table)}' (format csv)`);
    },
    addIndex: (table, columns) => run(createIndex(table, columns)),
    dropIndex: (table, columns) => run(dropIndex(table, columns)),
    ask: async (question, turn) => [...(await sql.unsafe(question.sql(turn, 'postgres')))],
    settle: () => run('vacuum analyze'),
    [Symbol.asyncDispose]: async () => {
      await sql.close();
      await stop();
    },
  };
}

function findBinaries(): string {
  const versions = existsSync(debian) ? readdirSync(debian).toSorted().toReversed() : [];
  const found = versions
    .map((version) => join(debian, version, 'bin'))
    .find((path) => existsSync(join(path, 'postgres')));
  const onPath = Bun.which('postgres');
  if (found === undefined && onPath === null) throw new Error('postgres is not installed');
  return found ?? join(onPath as string, '..');
}

/** PostgreSQL refuses to run as root. */
function asUser(command: readonly string[]): string[] {
  return process.getuid?.() === 0
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command]
    : [...command];
}

async function finished(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: '/', stdout: 'ignore', stderr: 'pipe' });
  const text = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${text.trim()}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function connected(port: number): Promise<SQL> {
  const until = performance.now() + startupMs;
  for (;;) {
    const sql = new SQL({
      hostname: '127.0.0.1',
      port,
      username: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeout: 0,
      connectionTimeout: 2,
    });
    try {
      await sql.unsafe('select 1');
      return sql;
    } catch (cause) {
      await sql.close();
      if (performance.now() > until) throw new Error('postgres does not start', { cause });
      await Bun.sleep(200);
    }
  }
}
