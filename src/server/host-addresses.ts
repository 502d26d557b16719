/** The addresses behind the names in a configuration: a server takes all of a name's addresses, or another server could take the rest of them. */

import { isIP } from 'node:net';
import type { Address } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';

/** Numeric addresses of a name. Rejects when there are none. */
type Lookup = (name: string) => Promise<readonly string[]>;

/** The listeners of `configuration`, with the addresses of their names. */
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
    // The listener says what is wrong with it.
    return address;
  }
}

/** As the C library finds them, and so other programs of this machine. */
async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(name, { backend: 'system' });
  return found.map(({ address }) => address);
}
