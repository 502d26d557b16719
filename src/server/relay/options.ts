/** `--internal-addr`, `--relay-target`, `--relay-token-file` and the certificates of the statistics relay (docs/relay.md). */

import { resolve } from 'node:path';
import { type Address, parseAddress } from '../address.ts';
import { type Option, refusal } from '../option.ts';
import { RefusedOption } from '../refused-option.ts';
import { type TlsConfiguration, tlsOf } from '../tls/options.ts';

export interface RelayConfiguration {
  /** Address on which this process, a writer, receives statistics. */
  readonly listen: Address | undefined;
  /** Scheme, host and port to which this process, a reader, sends statistics. */
  readonly target: string | undefined;
  /** Absolute path of the file with the token. */
  readonly tokenPath: string;
  /** Certificates of the internal listener. `undefined`: the listener serves plain HTTP. */
  readonly tls: TlsConfiguration | undefined;
  /** Absolute path of the file with the authorities that a reader trusts. `undefined`: those of the system. */
  readonly caPath: string | undefined;
  /** Absolute paths of the certificate by which a reader identifies itself to the internal listener. */
  readonly client: { readonly certPath: string; readonly keyPath: string } | undefined;
}

/** Returns `undefined` if this process neither sends nor receives statistics. Throws a `RefusedOption`. */
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
      'no internal listener with --role read, because only a writer receives statistics',
    );
  }
  if (target.value !== undefined && role === 'write') {
    throw refusal(target, 'only with --role read, because a writer keeps its own statistics');
  }
  const tls = tlsOf(option, 'internal-tls');
  if (tls !== undefined && address.value === undefined) {
    const given = ['internal-tls-cert', 'internal-tls-key'].map(option).find(({ value }) => value);
    throw refusal(given as Option, 'only with --internal-addr of a writer');
  }
  const caPath = authoritiesOf(option('relay-ca'), target);
  const client = clientOf(option('relay-cert'), option('relay-key'), target);
  if (address.value === undefined && target.value === undefined) {
    if (token.value === undefined) return undefined;
    throw refusal(token, 'only with --internal-addr of a writer or --relay-target of a reader');
  }
  if (!token.value) {
    const beside = address.value === undefined ? '--relay-target' : '--internal-addr';
    throw new RefusedOption(
      '--relay-token-file',
      token.value,
      `a file with a token of 32 bytes or more, which ${beside} requires`,
    );
  }
  return {
    listen: address.value === undefined ? undefined : addressOf(address, address.value),
    target: target.value === undefined ? undefined : targetOf(target, target.value),
    tokenPath: resolve(token.value),
    tls,
    caPath,
    client,
  };
}

/** Returns the client certificate of a reader. Both options or neither must be set. */
function clientOf(cert: Option, key: Option, target: Option): RelayConfiguration['client'] {
  const given = [cert, key].find(({ value }) => value !== undefined);
  if (given === undefined) return undefined;
  if (!isHttps(target)) throw refusal(given, 'only with a --relay-target of https://');
  if (!cert.value) throw refusal(cert, 'a file with the certificate of --relay-key');
  if (!key.value) throw refusal(key, 'a file with the private key of --relay-cert');
  return { certPath: resolve(cert.value), keyPath: resolve(key.value) };
}

const isHttps = ({ value }: Option) => value !== undefined && /^https:/i.test(value);

function authoritiesOf(ca: Option, target: Option): string | undefined {
  if (ca.value === undefined) return undefined;
  if (ca.value === '') throw refusal(ca, 'a file with PEM certificates');
  if (isHttps(target)) return resolve(ca.value);
  throw refusal(ca, 'only with a --relay-target of https://');
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
