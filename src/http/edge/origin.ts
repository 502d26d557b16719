/**
 * The guard against requests that other sites make in a user's name (CSRF). A browser tells with `Origin` and `Sec-Fetch-Site` where a request comes from;
 * what may change something is refused when that is another origin, unless CORS names it. Programs that are no browsers send neither.
 */

import { fail } from '#failure';
import type { Cors } from './cors.ts';

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** Throws for a request that changes something and comes from elsewhere. */
export function checkOrigin({ method, headers }: Request, cors: Cors): void {
  if (readingMethods.has(method)) return;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (origin === null && site === null) return;
  if (cors.allows(origin)) return;
  if (origin !== null && !isOwn(origin, headers.get('host'))) throw foreign('origin', origin);
  // `none`: a user's own doing, from the address bar.
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    throw foreign('sec-fetch-site', site);
  }
}

/** The listener speaks plain HTTP: a page under `https` has another origin, also with the same host and port. */
function isOwn(origin: string, host: string | null): boolean {
  return host !== null && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function foreign(header: string, value: string): Error {
  const detail =
    `the request comes from another site (${header}: ${value}); ` +
    'name its origin with --cors-origin if pages of it may change data';
  return fail('invalid', detail, { status: 403, location: { pointer: `/header/${header}` } });
}
