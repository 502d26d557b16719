/**
 * The guard against DNS rebinding. Without authentication, a web page whose name resolves to 127.0.0.1 could read and
 * write the database of a developer. A browser sends the name of the page in `Host`, so a loopback listener accepts
 * loopback names only.
 */

import { isLoopback } from '#base';
import { fail } from '#failure';
import { malformed } from './malformed.ts';

const hostAndPort = /^([^:]+|\[[^\]]*\])(?::\d{0,5})?$/;

/**
 * Returns whether a `Host` header names the loopback interface of this machine. A request without the header does not
 * come from a browser.
 */
function isLoopbackHost(host: string | null): boolean {
  if (host === null) return true;
  const name = hostAndPort.exec(host)?.[1];
  return name !== undefined && isLoopback(name);
}

/**
 * Refuses requests with two hosts, and foreign hosts on loopback. Clients repeat their host, so the last accepted host
 * is not checked again.
 */
export class HostGuard {
  private readonly loopbackOnly: boolean;
  /** The host name in the configured address of the listener. The name may resolve to loopback. */
  private readonly ownHost: string | undefined;
  private passed: string | null = null;

  constructor(loopbackOnly: boolean, ownHost?: string) {
    this.loopbackOnly = loopbackOnly;
    this.ownHost = ownHost?.toLowerCase();
  }

  check(headers: Headers): void {
    const host = headers.get('host');
    if (host === this.passed) return;
    // Two headers of the same name are joined to a list.
    if (host?.includes(','))
      throw malformed('/header/host', `a request must have exactly one host, got "${host}"`);
    if (this.loopbackOnly && !isLoopbackHost(host) && !this.isOwn(host)) throw foreign(host ?? '');
    this.passed = host;
  }

  private isOwn(host: string | null): boolean {
    const name = hostAndPort.exec(host ?? '')?.[1];
    return name !== undefined && name.toLowerCase() === this.ownHost;
  }
}

function foreign(host: string): Error {
  const detail =
    `the request was made to "${host}", but this server listens on loopback without authentication ` +
    'and serves only localhost and loopback addresses';
  return fail('invalid', detail, { status: 403, location: { pointer: '/header/host' } });
}
