/** Parses `--trusted-proxy`, the addresses of proxies whose `X-Forwarded-For` header counts. */

import { isIP } from 'node:net';
import type { AddressRange } from '#http';
import { type Option, refusal } from './option.ts';

/** Returns the ranges; an empty list without the option. Throws a `RefusedOption`. */
export function trustedProxiesOf(option: Option): readonly AddressRange[] {
  if (option.value === undefined) return [];
  return option.value.split(',').map((text) => {
    const range = rangeOf(text.trim());
    if (range !== undefined) return range;
    throw refusal(option, 'addresses or ranges such as 10.0.0.0/8 and fd00::/8');
  });
}

function rangeOf(text: string): AddressRange | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  if (length === undefined) return { address, bits };
  const isLength = /^\d{1,3}$/.test(length) && Number(length) <= bits;
  return isLength ? { address, bits: Number(length) } : undefined;
}
