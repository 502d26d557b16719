/** The whole application: routes, and what happens to everything that fails. */

import { Elysia } from 'elysia';
import { fail } from '#failure';
import { catalogRoutes } from './catalog.ts';
import { type HttpContext, type HttpOptions, httpContext } from './context.ts';
import { executeRoutes } from './execute.ts';
import { metaRoutes } from './meta.ts';
import { pathnameOf } from './parameters.ts';
import { probeRoutes } from './probes.ts';
import { failureOf, problemReply } from './reply.ts';
import { methodsOf } from './route-table.ts';

/** `handle(request)` answers without a socket; `fetch` is for a listener. Bodies are never normalised or coerced. */
export function createApp(options: HttpOptions) {
  const context = httpContext(options);
  return new Elysia({ normalize: false, strictPath: true })
    .onError(({ code, error, request }) => {
      const thrown = code === 'NOT_FOUND' ? missingRoute(request) : error;
      return answerFailure(context, thrown);
    })
    .use(probeRoutes(options.lifecycle))
    .use(metaRoutes(context))
    .use(catalogRoutes(context))
    .use(executeRoutes(context));
}

function answerFailure(context: HttpContext, error: unknown): Response {
  const failure = failureOf(error, () => context.incident());
  if (failure.incident !== undefined) context.onInternalError(failure.incident, error);
  if (failure.reason !== 'method_not_allowed') return problemReply(failure);
  return problemReply(failure, { allow: failure.detail.slice(failure.detail.indexOf(': ') + 2) });
}

/** An unknown route, or a known one with another method. */
function missingRoute(request: Request): Error {
  const pathname = pathnameOf(request.url);
  const methods = methodsOf(pathname);
  if (methods === undefined) {
    return fail('not_found', `there is no ${pathname}`, { resource: { kind: 'route' } });
  }
  return fail('method_not_allowed', `${request.method} is not allowed here: ${methods.join(', ')}`);
}
