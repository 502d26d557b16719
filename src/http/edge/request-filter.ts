/** What is refused before any route is looked at, in this order: a request without a clear host, a foreign host, too many connections, a foreign origin, a database that is not open. */

import { fail } from '#failure';
import type { HttpContext } from '../context.ts';
import { isControl, isProbe } from '../routes/probes.ts';
import type { EdgeCounters } from './counters.ts';
import { HostGuard } from './host.ts';
import { malformed } from './malformed.ts';
import { checkOrigin } from './origin.ts';
import { pathnameOf } from './parameters.ts';

/** The answer of a preflight, undefined for a request that may pass. Throws a refusal. */
export type RequestFilter = (request: Request) => Response | undefined;

export function requestFilter(
  context: HttpContext,
  { loopbackOnly, ownHost }: { readonly loopbackOnly: boolean; readonly ownHost?: string },
): RequestFilter {
  const guard = new HostGuard(loopbackOnly, ownHost);
  const { cors, lifecycle } = context;
  return (request) => {
    checkTarget(request.url);
    guard.check(request.headers);
    if (context.pressure() === 'full') checkControl(request, context.counters);
    const preflight = cors.preflight(request);
    if (preflight !== undefined) return preflight;
    checkOrigin(request, cors);
    if (lifecycle.engine === undefined && !isProbe(pathnameOf(request.url))) context.engine();
    return undefined;
  };
}

/** The listener makes no whole URL of a target without a host, or with a malformed one; what follows would read it wrongly. */
function checkTarget(url: string): void {
  if (url.startsWith('http://') || url.startsWith('https://')) return;
  throw malformed(
    '/header/host',
    'the request has no usable host: send a path, and one Host header',
  );
}

function checkControl(request: Request, counters: EdgeCounters): void {
  if (isControl(pathnameOf(request.url))) return;
  counters.refusedForConnections++;
  throw fail(
    'overloaded',
    'there are more connections than --max-connections allows; try again later',
    {
      retryAfterSeconds: 1,
      endsConnection: true,
    },
  );
}
