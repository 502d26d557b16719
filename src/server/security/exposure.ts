/** Decides whether a server may start on its addresses: which clients can reach it, and how they prove who they are (docs/security.md). */

import { type Address, formatAddress, isLoopbackOnly } from '../address.ts';
import { RefusedConfiguration } from '../refused-option.ts';

/** The kinds of credentials that a server accepts. Without any, every client may do everything. */
export type AuthMode = 'keys' | 'jwt';

interface Exposure {
  readonly address: Address;
  readonly auth: readonly AuthMode[];
  readonly hasTls: boolean;
  /** `--insecure`: the operator accepts that every client that reaches the address may do everything. */
  readonly isInsecure: boolean;
  /** `--behind-tls-proxy`: clients reach this server only through a proxy that accepts TLS. */
  readonly isBehindTlsProxy: boolean;
}

/** The names of the options of a listener, for messages. */
interface ListenerFlags {
  readonly addr: string;
  readonly tls: string;
}

const publicFlags: ListenerFlags = { addr: '--addr', tls: '--tls' };

/**
 * Returns `exposed` if any client can reach the server without credentials, which is worth a warning, else `closed`.
 * Throws a `RefusedConfiguration` if the combination is unsafe.
 */
export function exposureOf(
  { address, auth, hasTls, isInsecure, isBehindTlsProxy }: Exposure,
  { addr, tls }: ListenerFlags = publicFlags,
): 'closed' | 'exposed' {
  if (isLoopbackOnly(address)) return 'closed';
  const where = `${addr} ${writtenAs(address)} can be reached from outside`;
  if (auth.length === 0) {
    if (isInsecure) return 'exposed';
    throw new RefusedConfiguration(
      `${where} without authentication: add --auth keys, listen on 127.0.0.1, or add --insecure`,
    );
  }
  if (hasTls || isBehindTlsProxy) return 'closed';
  throw new RefusedConfiguration(
    `${where} without TLS: add ${tls}-cert and ${tls}-key, listen on 127.0.0.1, or add --behind-tls-proxy`,
  );
}

function writtenAs(address: Address): string {
  return address.isEveryInterface ? `:${address.port}` : formatAddress(address);
}
