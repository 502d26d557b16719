/**
 * The one way by which this process sends HTTP requests. A proxy of the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, in either case of letters) is for
 * other machines: requests to this machine go directly, whatever `NO_PROXY` contains. All else is the runtime's decision, which reads `NO_PROXY` as hosts,
 * suffixes, `*`, ports and CIDR blocks.
 */

import { isLoopback } from './loopback.ts';

/** As `fetch`. */
export function routedFetch(url: string, init: BunFetchRequestInit = {}): Promise<Response> {
  return fetch(url, isLoopbackUrl(url) ? { ...init, proxy: false } : init);
}

/** An address of all zeros reaches this machine, too. */
const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

function isLoopbackUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (isLoopback(parsed.hostname) || everyAddress.has(parsed.hostname));
}
