/**
 * The guard against DNS rebinding. A web page can make its own name resolve to the address of this server. Without authentication, a web page whose name resolves to 127.0.0.1 could read and
 * write the database of a developer. A browser sends the name of the page in `Host`, so a loopback listener accepts
 * loopback names only.
 */

import { isLoopback } from '#base';
import { fail } from '#failure';
import { isProbe } from '../routes/probes.ts';
import { malformed } from './malformed.ts';
import { pathnameOf } from './parameters.ts';

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

export interface HostRules {
  readonly loopbackOnly: boolean;
  /** The host name in the configured address of the listener. The name may resolve to loopback. */
  readonly ownHost?: string;
  /** The only hosts that requests may name, except those of probes. Empty or absent: all hosts. In lower case. */
  readonly allowedHosts?: readonly string[];
}

/**
 * Refuses requests with two hosts, foreign hosts on loopback, and hosts that are not allowed. Clients repeat their host,
 * so the last accepted host is not checked again.
 */
export class HostGuard {
  private readonly loopbackOnly: boolean;
  private readonly ownHost: string | undefined;
  private readonly allowed: ReadonlySet<string>;
  private passed: string | null = null;

  constructor({ loopbackOnly, ownHost, allowedHosts = [] }: HostRules) {
    this.loopbackOnly = loopbackOnly;
    this.ownHost = ownHost?.toLowerCase();
    this.allowed = new Set(allowedHosts);
  }

  check({ headers, url }: Pick<Request, 'headers' | 'url'>): void {
    const host = headers.get('host');
    if (host === this.passed) return;
    // Two headers of the same name are joined to a list.
    if (host?.includes(','))
      throw malformed('/header/host', `a request must have exactly one host, got "${host}"`);
    if (this.loopbackOnly && !isLoopbackHost(host) && !this.isOwn(host)) throw foreign(host ?? '');
    if (!this.isAllowed(host)) {
      // Supervisors and load balancers address a server by its IP address.
      if (isProbe(pathnameOf(url))) return;
      throw notAllowed(host ?? '');
    }
    this.passed = host;
  }

  private isOwn(host: string | null): boolean {
    const name = nameIn(host);
    return name !== undefined && name === this.ownHost;
  }

  private isAllowed(host: string | null): boolean {
    return this.allowed.size === 0 || this.allowed.has(nameIn(host) ?? '');
  }
}

/** Returns the host without its port, in lower case. */
function nameIn(host: string | null): string | undefined {
  return hostAndPort.exec(host ?? '')?.[1]?.toLowerCase();
}

function notAllowed(host: string): Error {
  const detail = `the request was made to "${host}", which is not one of the hosts of this server (--allowed-host)`;
  return fail('invalid', detail, { status: 403, location: { pointer: '/header/host' } });
}

function foreign(host: string): Error {
  const detail =
    `the request was made to "${host}", but this server listens on loopback without authentication ` +
    'and serves only localhost and loopback addresses';
  return fail('invalid', detail, { status: 403, location: { pointer: '/header/host' } });
}
