/** The server of `svc dev`, which differs from that of `svc serve` in its address and a few defaults. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limitHeap } from '#base';
import {
  type Log,
  RefusedConfiguration,
  readConfiguration,
  Server,
  withHostAddresses,
} from '#server';
import { lockQuietly, StorageError, type StorageFault } from '#storage';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import type { Interruption, Shell } from '../frame/shell.ts';
import { storageHint } from '../frame/storage-hint.ts';
import type { DatabaseChoice } from '../project/database-choice.ts';
import { isLocal } from '../project/is-local.ts';

export const addressHint = '--database-url svc://127.0.0.1:7237 sets one for this command';

interface Wanted {
  readonly database: DatabaseChoice;
  /** Absolute path of the store, or `undefined` for a store in memory. */
  readonly directory: string | undefined;
}

/**
 * Returns the configuration of the server. Variables apply as for `svc serve`, except to the settings that this command determines. Throws a RefusedOption, or
 * a CommandFailure if the address is not on this machine.
 */
export function devConfiguration({ env }: Shell, { database, directory }: Wanted) {
  const isNew = directory === undefined || !existsSync(join(directory, 'manifest'));
  const configuration = readConfiguration(
    {
      // A variable that sets the listening address has priority over the address of the project.
      addr: env['SVC_ADDR'] || addressOf(database),
      role: 'write',
      // The mode of an existing store is fixed.
      ...(isNew && { 'catalog-mode': 'schema' }),
      ...(directory === undefined
        ? { storage: 'memory' }
        : { storage: 'file', 'storage-path': directory }),
      ...(env['SVC_LOG_LEVEL'] ? {} : { 'log-level': 'warn' }),
      // Only clients of this machine reach the server, also if the database has API keys or row policies.
      ...(env['SVC_AUTH'] ? {} : { auth: 'none' }),
      // A request that hangs must not delay Ctrl-C.
      ...(env['SVC_DRAIN_TIMEOUT_MS'] ? {} : { 'drain-timeout-ms': '2000' }),
    },
    env,
  );
  limitHeap(configuration, env);
  return configuration;
}

/** Returns `host:port` of a database that can run on this machine. */
function addressOf({ url, origin }: DatabaseChoice): string {
  const { protocol, hostname, port, pathname } = new URL(origin);
  if (protocol === 'http:' && isLocal(origin) && pathname === '/') {
    return `${hostname}:${port || '80'}`;
  }
  throw usageFailure(
    `svc dev runs the database itself, and ${url} is not a plain HTTP address of this machine`,
    addressHint,
  );
}

interface Opening {
  readonly configuration: ReturnType<typeof devConfiguration>;
  readonly directory: string | undefined;
  readonly log: Log;
  readonly interruption: Interruption;
}

/** Returns the server with its database open, or `undefined` if it was interrupted before. Throws errors in terms of this command. */
export async function openDevServer(
  { world }: Shell,
  { configuration, directory, log, interruption }: Opening,
): Promise<Server | undefined> {
  try {
    // A lock is reported before the occupied port, because the same process causes both.
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

function storageFailure({ fault, message }: StorageError): CommandFailure {
  const hint = fault.kind === 'locked' ? inUseHint(fault) : storageHint(fault);
  return new CommandFailure({ code: `storage_${fault.kind}`, message, hint });
}

function inUseHint({ holder }: StorageFault & { readonly kind: 'locked' }): string {
  const kill = holder === undefined ? 'stop it' : `\`kill ${holder.pid}\` stops it`;
  return `\`svc dev\` or \`svc serve\` may be running in another terminal: ${kill}; \`svc dev --throw-away --database-url svc://127.0.0.1:7247\` runs a second database`;
}

/** Renames the flag in an error of the server, because this command does not have it. */
function inWordsOfDev(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof RefusedConfiguration) return error;
  if (!error.message.includes('--addr')) return error;
  const message = error.message.replace('--addr', '--database-url');
  return new CommandFailure({ code: 'address_unavailable', message });
}
