/**
 * Finds the address of a client behind proxies. Each proxy appends the address of its client to `X-Forwarded-For`, so
 * only the part that trusted proxies have written counts. Other headers, such as `Forwarded`, are ignored.
 */

import { BlockList, isIP } from 'node:net';

/** The addresses that share their first `bits` bits. */
export interface AddressRange {
  readonly address: string;
  readonly bits: number;
}

/** An IPv4 address within IPv6. */
const mappedStart = /^::ffff:(?=\d+\.)/i;

export class TrustedProxies {
  private readonly ranges = new BlockList();

  constructor(ranges: readonly AddressRange[]) {
    for (const { address, bits } of ranges) this.ranges.addSubnet(address, bits, familyOf(address));
  }

  includes(address: string): boolean {
    const plain = address.replace(mappedStart, '');
    return isIP(plain) !== 0 && this.ranges.check(plain, familyOf(plain));
  }

  /**
   * Returns the last address in `forwarded` that is not that of a trusted proxy. Returns `connection`, the address of the
   * connection, if it is not that of a trusted proxy, or if `forwarded` is absent or malformed.
   */
  clientOf(connection: string, forwarded: string | null): string {
    if (forwarded === null || !this.includes(connection)) return connection;
    let client = connection;
    for (const hop of forwarded.split(',').reverse()) {
      client = hop.trim().replace(mappedStart, '');
      if (isIP(client) === 0) return connection;
      if (!this.includes(client)) return client;
    }
    return client;
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
