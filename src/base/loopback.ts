/** Recognizes loopback hosts in every spelling that a resolver or a browser accepts. */

/** Matches a name, an IPv4 address in any notation, or an IPv6 address in brackets. The URL parser reads such a text as a host only. */
const plainHost = /^(?:[\w.-]+|\[[0-9a-f:.]+\])$/i;
/** The spellings of most requests, which need no parsing. */
const usualHost = /^(?:localhost|127\.0\.0\.1|\[::1\])$/i;
const loopbackAddress = /^(?:127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/;
const loopbackName = /(?:^|\.)localhost\.?$/;

/**
 * Returns whether `host` is loopback: `localhost` and names below it (RFC 6761 §6.3), 127/8, `::1`, and 127/8 mapped into IPv6. Letter case
 * and notation do not count: `LOCALHOST`, `127.1`, `0x7f000001`, `[0:0:0:0:0:0:0:1]`. An IPv6 address may have its brackets or not. `host`
 * must not contain a port.
 */
export function isLoopback(host: string): boolean {
  if (usualHost.test(host)) return true;
  const name = canonicalHost(host);
  return name !== undefined && (loopbackAddress.test(name) || loopbackName.test(name));
}

/** Returns the host as the URL standard spells it; `undefined` if `host` is not a host. */
function canonicalHost(host: string): string | undefined {
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  if (!plainHost.test(written)) return undefined;
  return URL.parse(`http://${written}/`)?.hostname;
}
