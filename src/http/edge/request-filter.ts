/**
 * Refuses requests before any route is matched. The checks run in this order: a missing or malformed host, a request
 * that bypasses the proxy, a foreign host, too many connections, a foreign origin, a database that is not open.
 */

import { fail } from '#failure';
import type { HttpContext } from '../context.ts';
import { isControl, isProbe } from '../routes/probes.ts';
import type { EdgeCounters } from './counters.ts';
import { HostGuard, type HostRules } from './host.ts';
import { malformed } from './malformed.ts';
import { checkOrigin } from './origin.ts';
import { pathnameOf } from './parameters.ts';

/**
 * Returns the response to a preflight request, or `undefined` for a request that may proceed. Throws the failure of a
 * refused request.
 */
export type RequestFilter = (request: Request) => Response | undefined;

interface Rules extends HostRules {
  /** Whether requests, except probes, must come from a trusted proxy. */
  readonly requiresProxy?: boolean;
}

export function requestFilter(
  context: HttpContext,
  { requiresProxy = false, ...hosts }: Rules,
): RequestFilter {
  const guard = new HostGuard(hosts);
  const { cors, lifecycle, secureTransport } = context;
  const own = { cors, scheme: secureTransport === undefined ? 'http' : 'https' } as const;
  return (request) => {
    checkTarget(request.url);
    if (requiresProxy) checkProxy(context, request);
    guard.check(request);
    if (context.pressure() === 'full') checkControl(request, context.counters);
    const preflight = cors.preflight(request);
    if (preflight !== undefined) return preflight;
    checkOrigin(request, own);
    if (lifecycle.engine === undefined && !isProbe(pathnameOf(request.url))) context.engine();
    return undefined;
  };
}

/**
 * Throws if the target has no host or a malformed one. The listener does not build a complete URL of such a target, and
 * later code would parse it wrongly.
 */
function checkTarget(url: string): void {
  if (url.startsWith('http://') || url.startsWith('https://')) return;
  throw malformed('/header/host', 'the request has no valid host; send a path and one Host header');
}

function checkProxy({ transport }: HttpContext, request: Request): void {
  if (transport.isFromProxy(request) || isProbe(pathnameOf(request.url))) return;
  const detail = 'this server accepts only requests of its proxy (--trusted-proxy)';
  throw fail('invalid', detail, { status: 403 });
}

function checkControl(request: Request, counters: EdgeCounters): void {
  if (isControl(pathnameOf(request.url))) return;
  counters.refusedForConnections++;
  throw fail('overloaded', 'too many connections (--max-connections); try again later', {
    retryAfterSeconds: 1,
    endsConnection: true,
  });
}
