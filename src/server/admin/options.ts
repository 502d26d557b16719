/** `--admin-addr`: address of the admin listener (docs/corpus.md, "Admin listener"). */

import { isLoopback } from '#base';
import { type Address, parseAddress } from '../address.ts';
import { type Option, refusal } from '../option.ts';

export interface AdminConfiguration {
  readonly address: Address;
  /** Whether the address was configured. If it was not, the process starts even if the address is not available. */
  readonly isGiven: boolean;
}

/** The settings on which the default address depends. */
interface Beside {
  /** Address of the public listener. */
  readonly address: Address;
  /** Whether this process stores executed programs. */
  readonly ownsCorpus: boolean;
}

/** Returns `undefined` if the process has no admin listener. Throws a `RefusedOption`. */
export function adminOf(
  option: Option,
  { address, ownsCorpus }: Beside,
): AdminConfiguration | undefined {
  if (option.value === undefined) return ownsCorpus ? nextTo(address) : undefined;
  const given = parseAddress(option.value);
  if (given !== undefined && isLoopback(given.host)) return { address: given, isGiven: true };
  throw refusal(
    option,
    'a loopback address such as 127.0.0.1:7238, because the admin listener has no authentication',
  );
}

/**
 * Returns the next port, on loopback regardless of the public address. If the public port is chosen by the system, so is
 * this one.
 */
function nextTo({ host, port }: Address): AdminConfiguration | undefined {
  if (port === 65_535) return undefined;
  const address = {
    host: isLoopback(host) ? host : '127.0.0.1',
    port: port === 0 ? 0 : port + 1,
  };
  return { address, isGiven: false };
}
