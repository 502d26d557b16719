/**
 * The guard against DNS rebinding: without authentication, a web page whose name was pointed to 127.0.0.1 could read and write a developer's
 * database. A browser tells the page's name in `Host`, so a loopback listener answers to loopback names only.
 */

import { isLoopback } from '#base';
import { fail } from '#failure';
import { malformed } from './malformed.ts';

const hostAndPort = /^([^:]+|\[[^\]]*\])(?::\d{0,5})?$/;

/** Whether a `Host` header names this machine's loopback. A request without one comes from no browser. */
function isLoopbackHost(host: string | null): boolean {
  if (host === null) return true;
  const name = hostAndPort.exec(host)?.[1];
  return name !== undefined && isLoopback(name);
}

/** Refuses two names, and foreign ones on loopback. Clients repeat themselves: the name that passed last is not looked at again. */
export class HostGuard {
  private readonly loopbackOnly: boolean;
  /** The name that the listener was told, which may lead to loopback. */
  private readonly ownHost: string | undefined;
  private passed: string | null = null;

  constructor(loopbackOnly: boolean, ownHost?: string) {
    this.loopbackOnly = loopbackOnly;
    this.ownHost = ownHost?.toLowerCase();
  }

  check(headers: Headers): void {
    const host = headers.get('host');
    if (host === this.passed) return;
    // Two headers of one name arrive as a list.
    if (host?.includes(','))
      throw malformed('/header/host', `a request has one host, and this one names "${host}"`);
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
    'and answers to localhost and loopback addresses only';
  return fail('invalid', detail, { status: 403, location: { pointer: '/header/host' } });
}
