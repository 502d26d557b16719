/** Addresses of servers as applications write them. */

import { BuildError } from './build-error.ts';

const schemes: Readonly<Record<string, string>> = {
  svc: 'http',
  svcs: 'https',
  http: 'http',
  https: 'https',
};

/** `svc(s)://host[:port]` and `http(s)://host[:port][/path]` as the start of URLs; port 7237 where svc(s) has none. Throws BuildError. */
export function originOf(url: string): string {
  const found = /^(\w+):\/\/(\[[\da-f:.]+\]|[^/?#@:[\]\s]+)(:\d{1,5})?((?:\/[^?#\s]*)?)$/i.exec(
    url,
  );
  const scheme = found?.[1] ?? '';
  const protocol = schemes[scheme.toLowerCase()];
  if (!protocol) {
    throw new BuildError(
      `"${url}" is no server address: write svc://host[:port], without user and query`,
    );
  }
  const standing = /^svc/i.test(scheme) ? ':7237' : '';
  return `${protocol}://${found?.[2]}${found?.[3] ?? standing}${found?.[4]?.replace(/\/+$/, '')}`;
}
