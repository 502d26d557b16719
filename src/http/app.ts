/** The Elysia application: all routes, and the response to each error. */

import { Elysia } from 'elysia';
import { redact } from '#base';
import { fail } from '#failure';
import type { HttpContext } from './context.ts';
import { pathnameOf } from './edge/parameters.ts';
import { answerFailure } from './edge/reply.ts';
import { executeRoutes } from './program/execute.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { keyRoutes } from './routes/keys.ts';
import { metaRoutes } from './routes/meta.ts';
import { probeRoutes } from './routes/probes.ts';
import { methodsOf } from './routes/route-table.ts';
import { schemaRoutes } from './routes/schema.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { transitionRoutes } from './routes/transitions.ts';

/**
 * Creates the application. `handle(request)` returns a response without a socket. `fetch` is for a listener. Bodies are
 * never normalized or coerced. The option `standardHostname` is off: with it, Elysia assumes host names of at least four
 * letters and cuts the path of a request to a shorter name.
 */
export function createApp(context: HttpContext) {
  return new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error, request }) =>
      code === 'NOT_FOUND'
        ? missingRoute(context, request)
        : answerFailure(context, request, error),
    )
    .use(probeRoutes(context))
    .use(metaRoutes(context))
    .use(catalogRoutes(context))
    .use(schemaRoutes(context))
    .use(transitionRoutes(context))
    .use(statisticsRoutes(context))
    .use(keyRoutes(context))
    .use(executeRoutes(context));
}

/** Returns the response for an unknown route, or for a known route with a method that it does not support. */
function missingRoute(context: HttpContext, request: Request): Response {
  const pathname = redact(pathnameOf(request.url));
  const methods = methodsOf(pathname);
  if (methods === undefined) {
    const missing = fail('not_found', `unknown route ${pathname}`, { resource: { kind: 'route' } });
    return answerFailure(context, request, missing);
  }
  const allow = methods.join(', ');
  const detail = `${request.method} is not allowed on ${pathname}; use ${allow}`;
  return answerFailure(context, request, fail('method_not_allowed', detail), {
    headers: { allow },
  });
}
