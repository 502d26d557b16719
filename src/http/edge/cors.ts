/** Cross-origin requests of browsers (CORS, Fetch §3.2): pages of named origins may call, and read what they get. */

import { fail } from '#failure';

const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, QUERY, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'authorization, content-type, if-none-match, svc-deadline-ms, svc-diagnostics, traceparent, tracestate, svc-relay-format',
  'access-control-max-age': '600',
  vary: 'Origin',
};

export class Cors {
  private readonly origins: ReadonlySet<string>;

  /** Exact origins, as browsers send them. */
  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
  }

  allows(origin: string | null): boolean {
    return origin !== null && this.origins.has(origin);
  }

  /** The answer to a preflight; undefined for any other request. */
  preflight(request: Request): Response | undefined {
    if (this.origins.size === 0 || request.method !== 'OPTIONS') return undefined;
    const { headers } = request;
    const origin = headers.get('origin');
    if (origin === null || headers.get('access-control-request-method') === null) return undefined;
    if (this.allows(origin)) return new Response(null, { status: 204, headers: preflightHeaders });
    throw fail('invalid', `--cors-origin does not name ${origin}`, {
      status: 403,
      location: { pointer: '/header/origin' },
    });
  }

  /** What every answer carries once there are such origins. */
  decorate(request: Request, response: Response): void {
    // Looking at the headers of an answer makes the runtime keep them twice: nobody pays for that who names no origin.
    if (this.origins.size === 0) return;
    const { headers } = response;
    const origin = request.headers.get('origin');
    if (this.allows(origin)) {
      headers.set('access-control-allow-origin', origin as string);
      headers.set('access-control-expose-headers', 'etag, accept-query, allow, retry-after');
    }
    headers.set('vary', withNames(headers.get('vary'), ['Authorization', 'Origin']));
    headers.set('x-content-type-options', 'nosniff');
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  }
}

function withNames(vary: string | null, names: readonly string[]): string {
  const present = vary === null ? [] : vary.split(',').map((name) => name.trim());
  return [...present, ...names.filter((name) => !present.includes(name))].join(', ');
}
