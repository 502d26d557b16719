/** The servers that clients of PostgreSQL connect to: svc as a process, and a PostgreSQL 15 as the reference. */

import { createServer } from 'node:net';
import { startPostgres } from '../../sql/differential/postgres-server.ts';
import { WireClient, type WireError } from '../../sql/support/wire-client.ts';
import { startServerProcess } from '../../support/server-process.ts';

export const user = 'postgres';
export const database = 'postgres';

export interface SqlServer extends AsyncDisposable {
  readonly kind: 'svc' | 'postgres';
  readonly host: '127.0.0.1';
  readonly port: number;
  /** `postgres://…` */
  readonly url: string;
  /** Runs the statements, each as a transaction of its own, and throws the first error. */
  prepare(statements: readonly string[]): Promise<void>;
}

/** `--frontend postgres` on a free port, with the data in memory. */
export async function serveSvc(flags: readonly string[] = []): Promise<SqlServer> {
  const port = await freePort();
  const server = await startServerProcess([
    '--storage',
    'memory',
    '--frontend',
    'postgres',
    '--postgres-addr',
    `127.0.0.1:${port}`,
    ...flags,
  ]);
  return sqlServer('svc', port, async () => {
    server.kill('SIGKILL');
    await server.exited;
  });
}

export async function serveReference(): Promise<SqlServer> {
  const port = await freePort();
  const server = await startPostgres(port);
  return sqlServer('postgres', port, async () => server[Symbol.asyncDispose]());
}

function sqlServer(kind: SqlServer['kind'], port: number, stop: () => Promise<void>): SqlServer {
  let opened: Promise<WireClient> | undefined;
  return {
    kind,
    host: '127.0.0.1',
    port,
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    prepare: async (statements) => {
      opened ??= WireClient.connect({ port }, user);
      const client = await opened;
      for (const statement of statements) {
        const results = await client.query(statement);
        const error = results.find((result) => result.error !== undefined)?.error;
        if (error !== undefined) throw new PrepareError(statement, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      (await opened?.catch(() => undefined))?.close();
      await stop();
    },
  };
}

class PrepareError extends Error {
  readonly code: string;

  constructor(statement: string, { sqlstate, message }: WireError) {
    super(`${sqlstate}: ${message}: ${statement}`);
    this.code = sqlstate;
  }
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.on('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    probe.close(() => resolve(port));
  });
  return promise;
}
