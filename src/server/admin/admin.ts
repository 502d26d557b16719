/** Opens the admin listener of a serving process. */

import type { World } from '#base';
import type { Engine } from '#engine';
import { createAdminHandler, describeChain } from '#http';
import { formatAddress } from '../address.ts';
import type { SocketTable } from '../connections/socket-table.ts';
import { WatchedListener } from '../connections/watched-listener.ts';
import type { Log } from '../log.ts';
import type { AdminConfiguration } from './options.ts';

const connectionsMax = 32;

interface AdminParts {
  readonly configuration: AdminConfiguration;
  readonly engine: () => Engine | undefined;
  readonly world: World;
  readonly log: Log;
  readonly table: SocketTable | undefined;
}

/**
 * Returns `undefined` and logs a warning if the default address is not available. Throws if a configured address is not
 * available.
 */
export function openAdmin(parts: AdminParts): WatchedListener | undefined {
  const { configuration, engine, world, log, table } = parts;
  const { address, isGiven } = configuration;
  const handler = createAdminHandler({
    engine,
    incident: () => world.random.fill(new Uint8Array(8)).toHex(),
    onInternalError: (incident, error, { method, url }) =>
      log.write('error', 'request.failed', { incident, method, url, error: describeChain(error) }),
  });
  const flag = '--admin-addr';
  const listener = { handler, address, flag, name: 'admin', connectionsMax, world, log, table };
  try {
    return new WatchedListener(listener);
  } catch (error) {
    if (isGiven) throw error;
    const { message } = error as Error;
    log.write('warn', 'admin.unavailable', { address: formatAddress(address), error: message });
    return undefined;
  }
}
