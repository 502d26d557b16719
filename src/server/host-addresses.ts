/**
 * Resolves the host names of a configuration. A server binds all addresses of a name, because another server could
 * otherwise bind the rest of them.
 */

import { isIP } from 'node:net';
import type { Address } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';

/** Returns the numeric addresses of a name. Rejects if there are none. */
type Lookup = (name: string) => Promise<readonly string[]>;

/** Returns `configuration` with the addresses of the host names of all listeners. */
export async function withHostAddresses(
  configuration: ServeConfiguration,
  lookup: Lookup = systemLookup,
): Promise<ServeConfiguration> {
  const { address, relay, admin } = configuration;
  const listen = relay?.listen && (await lookedUp(relay.listen, lookup));
  return {
    ...configuration,
    address: await lookedUp(address, lookup),
    relay: relay && { ...relay, listen },
    admin: admin && { ...admin, address: await lookedUp(admin.address, lookup) },
  };
}

async function lookedUp(address: Address, lookup: Lookup): Promise<Address> {
  if (isIP(address.host) !== 0) return address;
  try {
    return { ...address, numeric: [...new Set(await lookup(address.host))] };
  } catch {
    // The listener reports the error.
    return address;
  }
}

/** Resolves a name with the C library, like other programs of this machine. */
async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(name, { backend: 'system' });
  return found.map(({ address }) => address);
}
