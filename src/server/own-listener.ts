/** How another process on the same machine reaches a server, and by which name it verifies the server (docs/deploy.md). */

import { type Address, formatAddress } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import { RefusedOption } from './refused-option.ts';
import { readCertificates } from './tls/pem.ts';

interface OwnListener {
  readonly origin: string;
  /** The name that the certificate of the server must contain. `undefined`: the host of the origin. */
  readonly serverName: string | undefined;
}

/**
 * Returns the public listener of a configuration. A client on the same machine connects to loopback, but certificates contain
 * the public name of the server. The server must therefore present a certificate of the name in its configured certificate.
 * Throws a `RefusedOption` if the port is not fixed, or if the certificate cannot be read.
 */
export function ownListener({ address, tls }: ServeConfiguration): OwnListener {
  if (address.port === 0) {
    throw new RefusedOption('--addr', formatAddress(address), 'an address with a fixed port');
  }
  const at = formatAddress(reachableAt(address));
  if (tls === undefined) return { origin: `http://${at}`, serverName: undefined };
  const [first] = tls.pairs;
  return { origin: `https://${at}`, serverName: first && nameIn(first.certPath) };
}

function reachableAt(address: Address): Address {
  const { host, port, isEveryInterface } = address;
  if (isEveryInterface || host === '0.0.0.0') return { host: '127.0.0.1', port };
  return host === '::' ? { host: '::1', port } : address;
}

/** Returns the first DNS name of the certificate, and for `*.example.com` a name that it covers. */
function nameIn(certPath: string): string | undefined {
  const [leaf] = readCertificates('--tls-cert', certPath).certificates;
  const name = /(?:^|, )DNS:([^,"]+)/.exec(leaf?.subjectAltName ?? '')?.[1];
  return name?.replace(/^\*(?=\.)/, 'svc');
}
