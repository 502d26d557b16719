/** `--admin-addr`: where the operator of a process is listened to (docs/corpus.md, "Admin listener"). */

import { isLoopback } from '#base';
import { type Address, parseAddress } from '../address.ts';
import { type Option, refusal } from '../option.ts';

export interface AdminConfiguration {
  readonly address: Address;
  /** Where it was not, a process that cannot have it starts all the same. */
  readonly isGiven: boolean;
}

interface Beside {
  /** Of the public listener. */
  readonly address: Address;
  /** Whether this process keeps programs in its store. */
  readonly ownsCorpus: boolean;
}

/** Undefined where there is no such listener. Throws a RefusedOption. */
export function adminOf(
  option: Option,
  { address, ownsCorpus }: Beside,
): AdminConfiguration | undefined {
  if (option.value === undefined) return ownsCorpus ? nextTo(address) : undefined;
  const given = parseAddress(option.value);
  if (given !== undefined && isLoopback(given.host)) return { address: given, isGiven: true };
  throw refusal(
    option,
    'a loopback address, such as 127.0.0.1:7238: the admin listener has no authentication',
  );
}

/** The next port, on loopback whatever the public listener is on; any port beside any port. */
function nextTo({ host, port }: Address): AdminConfiguration | undefined {
  if (port === 65_535) return undefined;
  const address = {
    host: isLoopback(host) ? host : '127.0.0.1',
    port: port === 0 ? 0 : port + 1,
  };
  return { address, isGiven: false };
}
