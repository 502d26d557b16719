/** Listener addresses: `host:port`, `[v6]:port`, or `:port` and `*:port` for all interfaces. */

import { isLoopback } from '#base';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** The addresses of a host name, after it has been resolved. */
  readonly numeric?: readonly string[];
  /**
   * Set if the address was written without a host. `host` is then `::`, which accepts IPv4 too, or `0.0.0.0` on a
   * machine without IPv6.
   */
  readonly isEveryInterface?: true;
}

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/;

/** Parses `host:port` or `:port`. Returns `undefined` if the text is not an address. */
export function parseAddress(text: string): Address | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const isEvery = host === '' || host === '*';
  return isEvery ? { host: '::', port, isEveryInterface: true } : { host, port };
}

/**
 * Returns whether only this machine can reach the address: a loopback address, or a name that resolves to loopback
 * addresses only.
 */
export function isLoopbackOnly({ host, numeric = [] }: Address): boolean {
  return isLoopback(host) || (numeric.length > 0 && numeric.every(isLoopback));
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
