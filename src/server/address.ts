/** Listener addresses: `host:port`, `[v6]:port`, or `:port` and `*:port` for all interfaces. */

import { isLoopback } from '#base';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** The addresses of a host that is a name, once they have been looked up. */
  readonly numeric?: readonly string[];
  /** Written without a host: `host` is `::`, which takes IPv4 as well; a machine without IPv6 has `0.0.0.0` instead. */
  readonly isEveryInterface?: true;
}

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/;

/** Undefined when the text is no address. */
export function parseAddress(text: string): Address | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const isEvery = host === '' || host === '*';
  return isEvery ? { host: '::', port, isEveryInterface: true } : { host, port };
}

/** Whether nobody but this machine reaches it: a loopback address, or a name that leads to nothing else. */
export function isLoopbackOnly({ host, numeric = [] }: Address): boolean {
  return isLoopback(host) || (numeric.length > 0 && numeric.every(isLoopback));
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
