/** `--internal-addr`, `--relay-target`, `--relay-token-file` and certificates: what readers tell the writer (docs/relay.md). */

import { resolve } from 'node:path';
import { type Address, parseAddress } from '../address.ts';
import { type Option, refusal } from '../option.ts';
import { RefusedOption } from '../refused-option.ts';

export interface RelayConfiguration {
  /** Where other processes tell this one, a writer. */
  readonly listen: Address | undefined;
  /** Where this one, a reader, tells: scheme, host and port. */
  readonly target: string | undefined;
  /** Of a file with the token. Absolute. */
  readonly tokenPath: string;
  /** Files of the certificate and key of the internal listener, absolute; undefined: it speaks plain HTTP. */
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined;
  /** Of a file with the authorities that a reader trusts, absolute; undefined: those of the system. */
  readonly caPath: string | undefined;
}

/** Undefined where nobody is told and nobody tells. Throws a RefusedOption. */
export function relayOf(
  option: (name: string) => Option,
  role: 'read' | 'write',
): RelayConfiguration | undefined {
  const [address, target, token] = ['internal-addr', 'relay-target', 'relay-token-file'].map(
    option,
  ) as [Option, Option, Option];
  if (address.value !== undefined && role === 'read') {
    throw refusal(
      address,
      'no such listener beside --role read: readers tell, and the writer listens',
    );
  }
  if (target.value !== undefined && role === 'write') {
    throw refusal(target, '--role read beside it: the writer keeps for itself what it executes');
  }
  const tls = tlsOf(option('internal-tls-cert'), option('internal-tls-key'), address);
  const caPath = authoritiesOf(option('relay-ca'), target);
  if (address.value === undefined && target.value === undefined) {
    if (token.value === undefined) return undefined;
    throw refusal(token, '--internal-addr of a writer, or --relay-target of a reader, beside it');
  }
  if (!token.value) {
    const beside = address.value === undefined ? '--relay-target' : '--internal-addr';
    throw new RefusedOption(
      '--relay-token-file',
      token.value,
      `beside ${beside} a file with a token of 32 bytes or more`,
    );
  }
  return {
    listen: address.value === undefined ? undefined : addressOf(address, address.value),
    target: target.value === undefined ? undefined : targetOf(target, target.value),
    tokenPath: resolve(token.value),
    tls,
    caPath,
  };
}

/** Both or neither, beside the listener that they are for. */
function tlsOf(cert: Option, key: Option, address: Option): RelayConfiguration['tls'] {
  const [given] = [cert, key].filter(({ value }) => value !== undefined);
  if (given === undefined) return undefined;
  if (address.value === undefined) throw refusal(given, '--internal-addr of a writer beside it');
  if (!cert.value) throw refusal(cert, 'beside --internal-tls-key a file with its certificate');
  if (!key.value) throw refusal(key, 'beside --internal-tls-cert a file with its private key');
  return { certPath: resolve(cert.value), keyPath: resolve(key.value) };
}

function authoritiesOf(ca: Option, target: Option): string | undefined {
  if (ca.value === undefined) return undefined;
  if (ca.value === '') throw refusal(ca, 'a file with PEM certificates');
  if (target.value !== undefined && /^https:/i.test(target.value)) return resolve(ca.value);
  throw refusal(ca, 'a --relay-target of https:// beside it');
}

function addressOf(option: Option, value: string): Address {
  const address = parseAddress(value);
  if (address !== undefined) return address;
  throw refusal(option, 'host:port, or :port for all interfaces, with a port from 0 to 65535');
}

function targetOf(option: Option, value: string): string {
  const url = URL.parse(value);
  const isPlain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    url.pathname === '/';
  if (isPlain) return url.origin;
  throw refusal(
    option,
    'http:// or https:// with host and port of the --internal-addr of the writer',
  );
}
