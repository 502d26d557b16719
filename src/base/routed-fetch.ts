/**
 * The one way by which this process sends HTTP requests. A proxy of the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, in either case of letters) is for
 * other machines: requests to this machine go directly, whatever `NO_PROXY` contains. All else is the runtime's decision, which reads `NO_PROXY` as hosts,
 * suffixes, `*`, ports and CIDR blocks.
 */

/** As `fetch`. */
export function routedFetch(url: string, init: BunFetchRequestInit = {}): Promise<Response> {
  return fetch(url, isLoopbackUrl(url) ? { ...init, proxy: false } : init);
}

/** Host names as URLs have them: lower case, addresses in their canonical form. An address of all zeros reaches this machine, too. */
const loopback =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

function isLoopbackUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && loopback.test(parsed.hostname);
}
