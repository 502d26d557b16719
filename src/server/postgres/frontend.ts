/** The PostgreSQL listener of a serving process. Its module is loaded only if it is configured. */

import type { World } from '#base';
import type { Engine } from '#engine';
import { type Authenticator, describeChain } from '#http';
import type { ProgramMeter } from '#observe';
import type { ConnectionEvent, PostgresListener } from '#postgres';
import { formatAddress } from '../address.ts';
import type { ServerLifecycle } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { PostgresConfiguration } from './options.ts';

interface FrontendParts {
  readonly configuration: PostgresConfiguration;
  readonly lifecycle: ServerLifecycle;
  readonly authenticator: Authenticator | undefined;
  readonly world: World;
  readonly log: Log;
  /** Counts the statements that are programs; `undefined` without metrics. */
  readonly programs: ProgramMeter | undefined;
  readonly isReader: boolean;
}

/** Throws if the address is not available. */
export async function openFrontend(parts: FrontendParts): Promise<PostgresListener> {
  const { configuration, lifecycle, world, log, programs, isReader } = parts;
  const { PostgresListener, openStatements, sql, Views } = await import('#postgres');
  const { address, connectionsMax, messageBytesMax, sendTimeoutMs } = configuration;
  const environment = {
    language: sql,
    statements: openStatements(sql),
    views: new Views(),
    engine: (): Engine | undefined => lifecycle.engine,
    world,
    programs,
    defect: (error: unknown) => {
      const incident = world.random.fill(new Uint8Array(8)).toHex();
      const stack = error instanceof Error ? error.stack : undefined;
      log.write('error', 'request.failed', { incident, error: describeChain(error), stack });
      return incident;
    },
  };
  const options = {
    environment,
    world,
    connectionsMax,
    messageBytesMax,
    sendTimeoutMs,
    isReader,
    host: address.host,
    port: address.port,
    tokens: configuration.auth === 'token' ? tokensOf(parts) : undefined,
    refusal: () => refusalOf(lifecycle),
    onConnection: ({ kind, address: peer, sqlstate }: ConnectionEvent) =>
      log.write(kind === 'failed' ? 'warn' : 'debug', `postgres.connection_${kind}`, {
        address: peer,
        sqlstate,
      }),
  };
  const listener = opened(() => new PostgresListener(options), formatAddress(address));
  const { port } = listener;
  log.write('debug', 'listener.started', {
    address: formatAddress({ ...address, port }),
    name: 'postgres',
  });
  return listener;
}

function tokensOf({ authenticator, lifecycle }: FrontendParts): Authenticator {
  if (authenticator === undefined) throw new Error('--postgres-auth token needs --auth');
  return {
    authenticate: (credentials) => {
      lifecycle.engine?.requireFreshKeys();
      return authenticator.authenticate(credentials);
    },
  };
}

function refusalOf({ engine, refusal }: ServerLifecycle) {
  if (refusal !== undefined) return { sqlstate: '28000', message: refusal };
  if (engine !== undefined) return undefined;
  return { sqlstate: '57P03', message: 'the database is not open yet; try again later' };
}

function opened<T>(open: () => T, address: string): T {
  try {
    return open();
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string };
    const why =
      code === 'EADDRINUSE'
        ? 'the address is in use; stop the process that listens there, or choose another address with --postgres-addr'
        : message;
    throw new Error(`cannot listen on ${address}: ${why}`);
  }
}
