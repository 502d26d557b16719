/**
 * An internal or admin listener: few connections, closed when idle, with limits on the bytes that the operating system
 * buffers for them.
 */

import type { World } from '#base';
import type { Activity, EdgeCounters, Handler } from '#http';
import { type Address, formatAddress } from '../address.ts';
import { type Listener, listen } from '../listener.ts';
import type { Log } from '../log.ts';
import type { TlsEntry } from '../tls/tls-entry.ts';
import { isDoneWithin } from '../waiting.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { openedSockets } from './opened-sockets.ts';
import type { SocketTable } from './socket-table.ts';

/** Time without traffic after which a connection is closed. */
const idleSeconds = 10;
/** The same limit as for the public listener. */
const unreadBytes = 64 << 10;
const drainMsMax = 2_000;

interface WatchedParts {
  readonly handler: {
    readonly handle: Handler;
    readonly activity: Activity;
    readonly counters: EdgeCounters;
    readonly busyPorts: () => ReadonlySet<number>;
  };
  readonly address: Address;
  /** Name of the listener in the log. */
  readonly name: string;
  /** The flag that configures the address. */
  readonly flag: string;
  readonly connectionsMax: number;
  /** The default certificate first. If absent, the listener serves plain HTTP. */
  readonly tls?: readonly TlsEntry[] | undefined;
  readonly world: World;
  readonly log: Log;
  readonly table: SocketTable | undefined;
}

export class WatchedListener {
  private readonly listener: Listener;
  private readonly connections: ConnectionWatch | undefined;
  private readonly world: World;

  /** Throws if the address is not available. */
  constructor(parts: WatchedParts) {
    const { handler, address, name, flag, connectionsMax, tls, world, log, table } = parts;
    this.world = world;
    const onOpened = openedSockets(table, unreadBytes);
    this.listener = listen({ ...handler, address, world, idleSeconds, flag, tls, onOpened });
    const { port } = this.listener.address;
    for (const bound of this.listener.addresses)
      log.write('info', 'listener.started', { address: formatAddress(bound), listener: name });
    if (table === undefined) return;
    const watched = { ...handler, table, world, log, connectionsMax, port };
    this.connections = new ConnectionWatch(watched);
    this.connections.start();
  }

  get address(): Address {
    return this.listener.address;
  }

  /** Presents other certificates to new connections. Throws and changes nothing if one is unusable. */
  replace(tls: readonly TlsEntry[]): void {
    this.listener.replace(tls);
  }

  /** Waits at most two seconds for requests in progress, then closes the listener. */
  async stop(): Promise<void> {
    const { listener, world } = this;
    if (!(await isDoneWithin(world, drainMsMax, listener.drain()))) listener.abort();
    this.connections?.stop();
  }

  /** Closes the listener immediately. */
  abort(): void {
    this.listener.abort();
    this.connections?.stop();
  }
}
