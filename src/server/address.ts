/** Listener addresses: `host:port`, `[v6]:port`, or `:port` for all interfaces. */

export interface Address {
  readonly host: string;
  readonly port: number;
}

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/;

/** Undefined when the text is no address. */
export function parseAddress(text: string): Address | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? '';
  return { host: host === '' ? '0.0.0.0' : host, port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
