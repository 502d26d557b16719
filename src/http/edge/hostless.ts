/** Accepts HTTP/1.0 requests without `Host`. Load balancers and monitors send such requests to the probes. Browsers never do. */

import { isControl } from '../routes/probes.ts';

/**
 * Returns `request`, or an equal request to `localhost` if it is a GET or HEAD of a probe, `/healthz` or `/metrics`
 * without a host. Without a host, the listener does not build a complete URL, so no route would match.
 */
export function withHost(request: Request): Request {
  const { url } = request;
  if (!url.startsWith('/')) return request;
  const { method, headers } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || headers.has('host') || !isControl(url.split('?', 1)[0] as string)) return request;
  return new Request(`http://localhost${url}`, { method, headers });
}
