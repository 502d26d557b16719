/** A PostgreSQL of the test's own: its data in a temporary directory, a Unix socket as its address, no writes synced. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAtExit } from '../../hostile/target/at-exit.ts';
import { WireClient } from '../support/wire-client.ts';

const debian = '/usr/lib/postgresql/15/bin';
const defaultPort = 5432;
export const startupMs = 60_000;

export interface PostgresServer extends AsyncDisposable {
  /** Opens another connection. */
  connect(): Promise<WireClient>;
}

/** Prints the reason if no PostgreSQL 15 can be started here. */
export function hasPostgres(skipped = 'the comparison of SQL with PostgreSQL 15'): boolean {
  const reason = missing();
  if (reason === undefined) return true;
  console.error(
    `\n*** SKIPPED: ${skipped}, because ${reason}.\n` +
      '*** apt-get install --no-install-recommends postgresql-15\n',
  );
  return false;
}

function missing(): string | undefined {
  if (!existsSync(join(debian, 'postgres'))) return `${debian}/postgres is not installed`;
  if (process.getuid?.() !== 0) return undefined;
  if (Bun.which('setpriv') === null) return 'setpriv is not installed';
  const user = Bun.spawnSync(['id', 'postgres'], { stdout: 'ignore', stderr: 'ignore' });
  return user.exitCode === 0 ? undefined : 'the user postgres does not exist';
}

/** With a port, the server also listens on 127.0.0.1. */
export async function startPostgres(port?: number): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const data = join(root, 'data');
  mkdirSync(data);
  chmodSync(root, 0o755);
  if (process.getuid?.() === 0) await finished(['chown', '-R', 'postgres', root]);
  await finished(
    asUser([
      join(debian, 'initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-N',
      '-E',
      'UTF8',
      '--locale=C',
      '--lc-ctype=C.UTF-8',
    ]),
  );
  const settings = {
    listen_addresses: port === undefined ? '' : '127.0.0.1',
    port: port ?? defaultPort,
    unix_socket_directories: root,
    fsync: 'off',
    shared_buffers: '16MB',
    max_connections: 30,
    autovacuum: 'off',
    timezone: 'UTC',
    client_min_messages: 'error',
    extra_float_digits: 1,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = asUser([join(debian, 'postgres'), '-D', data, ...flags]);
  const child = Bun.spawn(command, { cwd: root, stdout: 'ignore', stderr: 'ignore' });
  const forget = endAtExit(child.pid);
  const unix = join(root, `.s.PGSQL.${port ?? defaultPort}`);
  const clients: WireClient[] = [];
  const server: PostgresServer = {
    connect: async () => {
      const client = await WireClient.connect({ unix });
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.close();
      child.kill('SIGINT');
      await child.exited;
      forget();
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    await answers(unix);
  } catch (cause) {
    await server[Symbol.asyncDispose]();
    throw cause;
  }
  return server;
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

async function answers(unix: string): Promise<void> {
  const until = performance.now() + startupMs;
  for (;;) {
    try {
      const client = await WireClient.connect({ unix });
      const [result] = await client.query('select 1');
      client.close();
      if (result?.error === undefined) return;
    } catch (cause) {
      if (performance.now() > until) throw new Error('postgres does not start', { cause });
    }
    await Bun.sleep(100);
  }
}
