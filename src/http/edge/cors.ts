/**
 * Cross-origin requests of browsers (CORS, Fetch §3.2): pages of the configured origins may send requests and read the
 * responses.
 */

import { fail } from '#failure';
import { Mark } from './mark.ts';

const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, QUERY, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'authorization, content-type, if-none-match, svc-deadline-ms, svc-diagnostics, traceparent, tracestate, svc-relay-format',
  'access-control-max-age': '600',
  vary: 'Origin',
};

export class Cors {
  private readonly origins: ReadonlySet<string>;
  private readonly allowsAll: boolean;
  private readonly isAuthenticated: boolean;
  /** Responses that were made with all headers. */
  private readonly complete = new Mark<true>();
  private readonly json: Response | undefined;

  /** Takes exact origins, as browsers send them, or `*` for all, and whether responses depend on access tokens. */
  constructor(origins: readonly string[], isAuthenticated = false) {
    this.origins = new Set(origins);
    this.allowsAll = this.origins.has('*');
    this.isAuthenticated = isAuthenticated;
    this.json = this.templateOf({ headers: { 'content-type': 'application/json' } });
  }

  /**
   * Returns a JSON response with all headers, which takes a tenth of the time of adding them later. `undefined` without authentication, and with
   * origins.
   */
  completeReply(text: string): Response | undefined {
    return this.json && this.completed(text, this.json);
  }

  /** Returns a response without a body, for `completed`. `undefined` where `completeReply` returns it. */
  templateOf(init: ResponseInit): Response | undefined {
    if (!this.isAuthenticated || this.origins.size > 0) return undefined;
    const template = new Response(null, init);
    guard(template.headers);
    return template;
  }

  /** Returns a response with the status and all headers of a template. */
  completed(text: string, template: Response): Response {
    const response = new Response(text, template);
    this.complete.set(response, true);
    return response;
  }

  allows(origin: string | null): boolean {
    return origin !== null && (this.allowsAll || this.origins.has(origin));
  }

  /** Returns the response to a preflight request, or `undefined` for any other request. */
  preflight(request: Request): Response | undefined {
    if (this.origins.size === 0 || request.method !== 'OPTIONS') return undefined;
    const { headers } = request;
    const origin = headers.get('origin');
    if (origin === null || headers.get('access-control-request-method') === null) return undefined;
    if (this.allows(origin)) return new Response(null, { status: 204, headers: preflightHeaders });
    throw fail('invalid', `origin ${origin} is not allowed; add it with --cors-origin`, {
      status: 403,
      location: { pointer: '/header/origin' },
    });
  }

  /** Adds the headers of all responses, if any origin is configured or the server has authentication. */
  decorate(request: Request, response: Response): void {
    // Reading the headers of a response makes the runtime store them twice. Without configured origins, this cost is
    // avoided.
    if (this.origins.size === 0 && !this.isAuthenticated) return;
    if (this.complete.get(response)) return;
    const { headers } = response;
    const origin = request.headers.get('origin');
    if (this.allows(origin)) {
      headers.set('access-control-allow-origin', origin as string);
      headers.set('access-control-expose-headers', 'etag, accept-query, allow, retry-after');
    }
    guard(headers);
  }
}

/** Adds the headers that keep browsers from storing, framing or guessing responses. */
function guard(headers: Headers): void {
  const vary = headers.get('vary');
  headers.set('vary', vary === null ? ownNames.join(', ') : withNames(vary, ownNames));
  headers.set('x-content-type-options', 'nosniff');
  headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}

const ownNames = ['Authorization', 'Origin'];

function withNames(vary: string, names: readonly string[]): string {
  const present = vary.split(',').map((name) => name.trim());
  return [...present, ...names.filter((name) => !present.includes(name))].join(', ');
}
