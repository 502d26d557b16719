/**
 * The guard against cross-site request forgery (CSRF). Browsers send the source of a request in `Origin` and
 * `Sec-Fetch-Site`. A request that can change data is refused if it comes from another origin, unless CORS allows that
 * origin. Programs that are not browsers send neither header.
 */

import { fail } from '#failure';
import type { Cors } from './cors.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

interface OwnOrigin {
  readonly cors: Cors;
  /** The scheme by which clients reach this server. A page under the other scheme has another origin. */
  readonly scheme: 'http' | 'https';
}

/** Throws if the request can change data and comes from another origin. */
export function checkOrigin({ method, headers }: Request, { cors, scheme }: OwnOrigin): void {
  if (readingMethods.has(method)) return;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (origin === null && site === null) return;
  if (cors.allows(origin)) return;
  if (origin !== null && !isOwn(origin, scheme, headers.get('host')))
    throw foreign('origin', origin);
  // `none`: the user started the request, for example from the address bar.
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    throw foreign('sec-fetch-site', site);
  }
}

/** Returns whether a page of another origin sends the request, whether CORS allows that or not. */
export function isForeign(headers: Headers, scheme: OwnOrigin['scheme']): boolean {
  const origin = headers.get('origin');
  return origin !== null && !isOwn(origin, scheme, headers.get('host'));
}

function isOwn(origin: string, scheme: string, host: string | null): boolean {
  return host !== null && origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}

function foreign(header: string, value: string): Error {
  const detail =
    `the request comes from another site (${header}: ${value}); ` +
    'allow its origin with --cors-origin if its pages may change data';
  return fail('invalid', detail, { status: 403, location: { pointer: `/header/${header}` } });
}
