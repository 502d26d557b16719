/** Requests of HTTP/1.0 without `Host`: load balancers and monitors ask the probes like this, and no browser does. */

import { isControl } from '../routes/probes.ts';

/**
 * Returns `request`, or the same one to `localhost` if it is a GET or HEAD of a probe, `/healthz` or `/metrics` without a host. The listener makes no
 * whole URL of a target without a host, so that no route would match.
 */
export function withHost(request: Request): Request {
  const { url } = request;
  if (!url.startsWith('/')) return request;
  const { method, headers } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || headers.has('host') || !isControl(url.split('?', 1)[0] as string)) return request;
  return new Request(`http://localhost${url}`, { method, headers });
}
