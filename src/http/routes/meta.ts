/** The routes `/`, `/openapi.json`, `/llms.txt`, `/metrics`, `/healthz`, `/info` and `/tables`. */

import { Elysia } from 'elysia';
import { permits, viewOf } from '#access';
import { version } from '#base';
import { toSchemaDocument } from '#catalog';
import { fail } from '#failure';
import { prometheusType } from '#telemetry';
import { openApiDocument } from '#wire';
import agents from '../../../docs/agents.md' with { type: 'text' };
import type { HttpContext } from '../context.ts';
import { jsonReply } from '../edge/reply.ts';
import { routeTable } from './route-table.ts';

/** The response to `/`, for a person who opens the address in a browser. */
const welcome = {
  name: 'svc',
  version,
  about: 'a relational database service: programs over relations, as JSON',
  try: {
    health: 'GET /healthz',
    tables: 'GET /tables',
    run: 'POST /execute with {"statements": [...]} as application/json',
  },
  documentation:
    '`svc docs` lists the pages, `svc docs http` prints the page about these routes, `svc --help` describes the command line',
  routes: routeTable
    .filter(({ path }) => path !== '/')
    .map(({ path, methods }) => `${methods.join(', ')} ${path}`),
};

function missingMetrics(): Error {
  return fail('not_found', 'metrics are off (--metrics false)', {
    resource: { kind: 'metrics' },
  });
}

const plainType = 'text/plain; charset=utf-8';

let described: string | undefined;

/** Returns the OpenAPI document. The document is built at the first request. */
function description(): string {
  described ??= JSON.stringify(openApiDocument());
  return described;
}

export function metaRoutes(context: HttpContext) {
  return new Elysia({ name: 'meta' })
    .get('/', () => jsonReply(JSON.stringify(welcome, undefined, 2)))
    .get('/openapi.json', () => jsonReply(description()))
    .get('/llms.txt', () => new Response(agents, { headers: { 'content-type': plainType } }))
    .get('/metrics', () => {
      if (context.metrics === undefined) throw missingMetrics();
      return new Response(context.metrics.text(), { headers: { 'content-type': prometheusType } });
    })
    .get('/healthz', () => {
      const { mode } = context.engine();
      return jsonReply(JSON.stringify({ status: 'ok', access: context.lifecycle.access, mode }));
    })
    .get('/info', async ({ request }) => {
      const { location, ...info } = await context.engine().info();
      const { scopes } = context.authority.principalOf(request);
      const known = permits(scopes, 'admin') ? { ...info, location } : info;
      return jsonReply(JSON.stringify({ access: context.lifecycle.access, ...known }));
    })
    .get('/tables', async ({ request }) => {
      const catalog = await context.engine().durableCatalog();
      const { visibility } = context.authority.principalOf(request);
      return jsonReply(JSON.stringify(toSchemaDocument(viewOf(catalog, visibility))));
    });
}
