/** The whole application: routes, and what happens to everything that fails. */

import { Elysia } from 'elysia';
import { fail } from '#failure';
import type { HttpContext } from './context.ts';
import { pathnameOf } from './edge/parameters.ts';
import { answerFailure } from './edge/reply.ts';
import { executeRoutes } from './program/execute.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { metaRoutes } from './routes/meta.ts';
import { probeRoutes } from './routes/probes.ts';
import { methodsOf } from './routes/route-table.ts';
import { schemaRoutes } from './routes/schema.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { transitionRoutes } from './routes/transitions.ts';

/**
 * `handle(request)` answers without a socket; `fetch` is for a listener. Bodies are never normalised or coerced. A "standard" host name would
 * have four letters at least, and the path of a request to a shorter one would be cut.
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
    .use(executeRoutes(context));
}

/** An unknown route, or a known one with another method. */
function missingRoute(context: HttpContext, request: Request): Response {
  const pathname = pathnameOf(request.url);
  const methods = methodsOf(pathname);
  if (methods === undefined) {
    const missing = fail('not_found', `there is no ${pathname}`, { resource: { kind: 'route' } });
    return answerFailure(context, request, missing);
  }
  const allow = methods.join(', ');
  const detail = `${request.method} is not allowed on ${pathname}: use ${allow}`;
  return answerFailure(context, request, fail('method_not_allowed', detail), {
    headers: { allow },
  });
}
