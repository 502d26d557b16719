/** The server of `svc dev`: as `svc serve` makes it, where the project looks for it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limitHeap } from '#base';
import { type Log, readConfiguration, Server, withHostAddresses } from '#server';
import { lockQuietly, StorageError, type StorageTrouble } from '#storage';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import type { Interruption, Shell } from '../frame/shell.ts';
import { storageHint } from '../frame/storage-hint.ts';
import type { DatabaseChoice } from '../project/database-choice.ts';
import { isLocal } from '../project/is-local.ts';

export const addressHint = '--database-url svc://127.0.0.1:7237 names one for this command';

interface Wanted {
  readonly database: DatabaseChoice;
  /** Of the store, absolute; undefined: in memory. */
  readonly directory: string | undefined;
}

/** Variables count as for `svc serve`, but for what this command decides. Throws a RefusedOption, and a CommandFailure for an address elsewhere. */
export function devConfiguration({ env }: Shell, { database, directory }: Wanted) {
  const isNew = directory === undefined || !existsSync(join(directory, 'manifest'));
  const configuration = readConfiguration(
    {
      // A variable of the server's that names where to listen is not less than the project's address.
      addr: env['SVC_ADDR'] || addressOf(database),
      role: 'write',
      // A store keeps the mode that it has.
      ...(isNew && { 'catalog-mode': 'schema' }),
      ...(directory === undefined
        ? { storage: 'memory' }
        : { storage: 'file', 'storage-path': directory }),
      ...(env['SVC_LOG_LEVEL'] ? {} : { 'log-level': 'warn' }),
      // A request that hangs does not keep Ctrl-C waiting.
      ...(env['SVC_DRAIN_TIMEOUT_MS'] ? {} : { 'drain-timeout-ms': '2000' }),
    },
    env,
  );
  limitHeap(configuration, env);
  return configuration;
}

/** `host:port` of a database that this process can be. */
function addressOf({ url, origin }: DatabaseChoice): string {
  const { protocol, hostname, port, pathname } = new URL(origin);
  if (protocol === 'http:' && isLocal(origin) && pathname === '/') {
    return `${hostname}:${port || '80'}`;
  }
  throw usageFailure(
    `svc dev is the database itself, and ${url} is not one that this machine can be`,
    addressHint,
  );
}

interface Opening {
  readonly configuration: ReturnType<typeof devConfiguration>;
  readonly directory: string | undefined;
  readonly log: Log;
  readonly interruption: Interruption;
}

/** With its database open; undefined when it was interrupted before. Throws what keeps it from that, in words of this command. */
export async function openDevServer(
  { world }: Shell,
  { configuration, directory, log, interruption }: Opening,
): Promise<Server | undefined> {
  try {
    // Told before the port is found to be taken, which is then by the same process.
    if (directory !== undefined) lockQuietly(directory)();
    const complete = await withHostAddresses(configuration);
    return await opened(new Server(complete, world, log), interruption);
  } catch (error) {
    throw error instanceof StorageError ? storageFailure(error) : inWordsOfDev(error);
  }
}

async function opened(server: Server, interruption: Interruption): Promise<Server | undefined> {
  try {
    await Promise.race([server.opened, interruption.happened]);
    return server;
  } catch (error) {
    server.opened.catch(() => {});
    await server.stop();
    if (interruption.signal.aborted) return undefined;
    throw error;
  }
}

function storageFailure({ trouble, message }: StorageError): CommandFailure {
  const hint = trouble.kind === 'locked' ? inUseHint(trouble) : storageHint(trouble);
  return new CommandFailure({ code: `storage_${trouble.kind}`, message, hint });
}

function inUseHint({ holder }: StorageTrouble & { readonly kind: 'locked' }): string {
  const kill = holder === undefined ? 'stop it' : `\`kill ${holder.pid}\` stops it`;
  return `is \`svc dev\` or \`svc serve\` running in another terminal? ${kill}; \`svc dev --throw-away --database-url svc://127.0.0.1:7247\` runs another database beside it`;
}

/** What keeps a server from starting names a flag that this command does not have. */
function inWordsOfDev(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes('--addr')) return error;
  const message = error.message.replace('--addr', '--database-url');
  return new CommandFailure({ code: 'address_unavailable', message });
}
