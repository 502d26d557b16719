/** `/healthz`, `/info` and the list of tables. */

import { Elysia } from 'elysia';
import { encodeTables } from './catalog-text.ts';
import type { HttpContext } from './context.ts';
import { jsonReply } from './reply.ts';

export function metaRoutes(context: HttpContext) {
  return new Elysia({ name: 'meta' })
    .get('/healthz', () => {
      const { mode } = context.engine();
      return jsonReply(JSON.stringify({ status: 'ok', access: context.lifecycle.access, mode }));
    })
    .get('/info', async () => {
      const info = await context.engine().info();
      return jsonReply(JSON.stringify({ access: context.lifecycle.access, ...info }));
    })
    .get('/tables', async () => jsonReply(encodeTables(await context.engine().durableCatalog())));
}
