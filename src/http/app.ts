/** The whole application: routes, and what happens to everything that fails. */

import { Elysia } from 'elysia';
import { fail } from '#failure';
import { catalogRoutes } from './catalog.ts';
import type { HttpContext } from './context.ts';
import { executeRoutes } from './execute.ts';
import { metaRoutes } from './meta.ts';
import { pathnameOf } from './parameters.ts';
import { probeRoutes } from './probes.ts';
import { answerFailure } from './reply.ts';
import { methodsOf } from './route-table.ts';
import { schemaRoutes } from './schema.ts';
import { statisticsRoutes } from './statistics.ts';
import { transitionRoutes } from './transitions.ts';

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
