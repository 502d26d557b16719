/** The sockets of one opening of a listener, one per address. All of them present the same certificates. */

import type { Handler } from '#http';
import type { Address } from './address.ts';
import { type BoundSockets, bindAll } from './bind-all.ts';
import type { TlsEntry } from './tls/tls-entry.ts';

interface GroupOptions {
  readonly address: Address;
  readonly handle: Handler;
  readonly idleSeconds: number;
  /** If absent, the sockets serve plain HTTP. */
  readonly tls: readonly TlsEntry[] | undefined;
}

export class SocketGroup {
  /** The address of each socket. */
  readonly addresses: readonly Address[];
  private readonly sockets: readonly Bun.Server<undefined>[];
  private isRetired = false;

  /**
   * Throws the error of the operating system if the address is not available, and that of the runtime if a certificate is
   * unusable. Sockets with certificates share their port with later groups of the same process.
   */
  constructor(options: GroupOptions) {
    const { tls, handle } = options;
    const reusePort = tls !== undefined;
    // Only TLS needs the wrapper, which costs each request a promise.
    const closing = reusePort ? this.closingWhenRetired(handle) : handle;
    const { sockets, addresses } = bind({ ...options, handle: closing }, reusePort);
    this.sockets = sockets;
    this.addresses = addresses;
  }

  /** From now on, each response closes its connection. */
  retire(): void {
    this.isRetired = true;
  }

  /** Refuses new connections. Resolves when all connections are closed: idle connections are closed immediately, and the others too if `closesConnections`. */
  async stop(closesConnections: boolean): Promise<void> {
    await Promise.all(this.sockets.map((socket) => socket.stop(closesConnections)));
  }

  private closingWhenRetired(handle: Handler): Handler {
    const finish = (response: Response) => {
      if (this.isRetired) response.headers.set('connection', 'close');
      return response;
    };
    return (request, sockets) => {
      const response = handle(request, sockets);
      return response instanceof Promise ? response.then(finish) : finish(response);
    };
  }
}

/** Throws if another process listens on the address. A socket that shares its port would open without an error. */
export function assertFree(options: GroupOptions): Address {
  const { sockets, addresses } = bind(options, false);
  for (const socket of sockets) void socket.stop(true);
  const [{ host, port }] = addresses as [Address];
  return { host, port, numeric: addresses.map((address) => address.host) };
}

function bind(
  { address, handle, idleSeconds, tls }: GroupOptions,
  reusePort: boolean,
): BoundSockets<Bun.Server<undefined>> {
  return bindAll(address, (hostname, port) =>
    Bun.serve({
      hostname,
      port,
      // The application refuses an oversized body with a problem response. The listener would close the connection
      // without a response.
      maxRequestBodySize: 2 ** 40,
      // In development mode, the listener itself logs errors with stacks and source lines, for example for each aborted
      // response.
      development: false,
      // With port reuse, a second process on the same address would receive half of the connections.
      reusePort,
      // An idle timeout of the listener would also end a slow program and a result with gaps.
      idleTimeout: idleSeconds,
      fetch: handle,
      ...(tls === undefined ? {} : { tls: [...tls] }),
    }),
  );
}
