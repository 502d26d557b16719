/**
 * The function by which this process sends all HTTP requests. Requests to this machine go directly, whatever `NO_PROXY` contains. A proxy
 * from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, in upper or lower case) is used only for other machines. For these
 * requests the runtime decides, and reads `NO_PROXY` as hosts, suffixes, `*`, ports and CIDR blocks.
 */

import { isLoopback } from './loopback.ts';

/** Sends a request like `fetch`. */
export function routedFetch(url: string, init: BunFetchRequestInit = {}): Promise<Response> {
  return fetch(url, isLoopbackUrl(url) ? { ...init, proxy: false } : init);
}

/** Addresses of all zeros, which also reach this machine. */
const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

function isLoopbackUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (isLoopback(parsed.hostname) || everyAddress.has(parsed.hostname));
}
