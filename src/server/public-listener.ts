/** The public listener of a serving process, with the limit of its connections and the renewal of its certificates. */

import type { World } from '#base';
import type { ConnectionPressure, createHandler, SendContinue } from '#http';
import { type Address, formatAddress } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import { connectionLimit, descriptorLimit } from './connections/connection-limit.ts';
import { ConnectionWatch } from './connections/connection-watch.ts';
import { openedSockets } from './connections/opened-sockets.ts';
import type { SocketTable } from './connections/socket-table.ts';
import { type Listener, listen } from './listener.ts';
import type { Log } from './log.ts';
import { CertificateReload } from './tls/certificate-reload.ts';

/**
 * Maximum unread bytes per connection. The runtime reads all received data of all ready connections in one event-loop
 * iteration. If the system buffered megabytes, thirty simultaneous bodies would block the event loop for 80 ms. With a
 * round trip of 100 ms, one connection still transfers 0.6 MB per second.
 */
const unreadBytes = 64 << 10;

interface PublicListenerParts {
  readonly configuration: ServeConfiguration;
  readonly handler: ReturnType<typeof createHandler>;
  readonly world: World;
  readonly log: Log;
  readonly table: SocketTable | undefined;
}

export class PublicListener {
  readonly url: string;
  private readonly listener: Listener;
  private readonly table: SocketTable | undefined;
  private readonly connections: ConnectionWatch | undefined;
  private readonly certificates: CertificateReload | undefined;

  /** Listens immediately. Throws if the address is not available, and a `RefusedOption` if a file is unusable. */
  constructor({ configuration, handler, world, log, table }: PublicListenerParts) {
    const { address, tls } = configuration;
    const connectionsMax = connectionLimit(configuration.connectionsMax, descriptorLimit());
    const certificates =
      tls && new CertificateReload({ configuration: tls, world, log, listener: 'public' });
    const onOpened = openedSockets(table, unreadBytes);
    const options = { ...handler, address, world, tls: certificates?.entries, onOpened };
    const listener = listen(options);
    this.listener = listener;
    this.certificates = certificates;
    this.table = table;
    certificates?.start((entries) => listener.replace(entries));
    if (table !== undefined) {
      const { port } = listener.address;
      const watched = { ...handler, table, world, log, connectionsMax, port };
      this.connections = new ConnectionWatch(watched);
      this.connections.start();
    }
    const scheme = tls === undefined ? 'http' : 'https';
    this.url = `${scheme}://${formatAddress(listener.address)}`;
  }

  get address(): Address {
    return this.listener.address;
  }

  get addresses(): readonly Address[] {
    return this.listener.addresses;
  }

  get pressure(): ConnectionPressure {
    return this.connections?.pressure ?? 'normal';
  }

  /** Sends 100 Continue. Has no effect with TLS, because only the runtime can write to such a connection. */
  sendContinue(client: Parameters<SendContinue>[0]): void {
    if (this.certificates === undefined) this.table?.sendContinue(this.address.port, client);
  }

  /** Reads the certificates again. Returns whether the listener has any. */
  reload(): boolean {
    this.certificates?.reload();
    return this.certificates !== undefined;
  }

  /** Keeps the present certificates, refuses new connections, waits for requests in progress, and closes all connections. */
  drain(): Promise<void> {
    this.certificates?.stop();
    return this.listener.drain();
  }

  /** Closes all connections immediately. */
  abort(): void {
    this.certificates?.stop();
    this.listener.abort();
  }

  /** Ends the watch over connections after the listener was closed. */
  stop(): void {
    this.connections?.stop();
  }
}
