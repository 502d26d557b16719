/** Opens one listener on all addresses of a `host:port`, with the same port on each. */

import type { Address } from './address.ts';

interface Socket {
  readonly port: number | undefined;
  stop(closesConnections: boolean): unknown;
}

/** Opens one socket. Throws an error with the code of the operating system. */
type Open<S extends Socket> = (host: string, port: number) => S;

export interface BoundSockets<S extends Socket> {
  readonly sockets: readonly S[];
  /** The address of each socket. */
  readonly addresses: readonly Address[];
}

/** Maximum number of ports to try. The port that the system chooses for the first address may be in use on another one. */
const choicesMax = 32;

/** Error codes for which another address does not help: binding fails as a whole. */
const final = new Set(['EADDRINUSE', 'EACCES']);

/**
 * Binds every numeric address of `address`. Addresses that this machine does not have are skipped, unless none remains.
 * For all interfaces, binds IPv6, which accepts IPv4 too, or IPv4 on a machine without IPv6. Throws the error of `open`,
 * after all sockets were closed.
 */
export function bindAll<S extends Socket>(address: Address, open: Open<S>): BoundSockets<S> {
  if (address.isEveryInterface) return bindEvery(address, open);
  const { host, numeric = [] } = address;
  const hosts = numeric.length === 0 ? [host] : numeric;
  for (let choice = 1; ; choice++) {
    try {
      return bindHosts(hosts, address.port, open);
    } catch (error) {
      const mayBeFree = address.port === 0 && hosts.length > 1 && codeOf(error) === 'EADDRINUSE';
      if (!mayBeFree || choice === choicesMax) throw error;
    }
  }
}

function bindEvery<S extends Socket>({ host, port }: Address, open: Open<S>): BoundSockets<S> {
  try {
    return bindHosts([host], port, open);
  } catch (error) {
    if (final.has(codeOf(error) ?? '')) throw error;
    return bindHosts(['0.0.0.0'], port, open);
  }
}

function bindHosts<S extends Socket>(
  hosts: readonly string[],
  port: number,
  open: Open<S>,
): BoundSockets<S> {
  const sockets: S[] = [];
  const addresses: Address[] = [];
  let missing: unknown;
  for (const host of hosts) {
    try {
      // All sockets use the port of the first one.
      const socket = open(host, addresses[0]?.port ?? port);
      sockets.push(socket);
      addresses.push({ host, port: socket.port ?? port });
    } catch (error) {
      if (!final.has(codeOf(error) ?? '')) {
        missing ??= error;
        continue;
      }
      for (const socket of sockets) socket.stop(true);
      throw error;
    }
  }
  if (sockets.length === 0) throw missing;
  return { sockets, addresses };
}

/** Returns the operating-system code of an error. */
export function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string }).code;
}
