/** `GET /statistics`: what is known of programs and tables, for planners and operators (docs/statistics.md). */

import { Elysia } from 'elysia';
import type { Engine } from '#engine';
import type { HttpContext } from '../context.ts';
import { checkNoParameters } from '../edge/parameters.ts';

export function statisticsRoutes(context: HttpContext) {
  const shared = new Shared();
  return new Elysia({ name: 'statistics' }).get('/statistics', async ({ request }) => {
    const engine = context.engine();
    checkNoParameters(request.url);
    const pieces = await shared.text(engine, context.relay?.());
    const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    // Many who do not read would hold as many answers, as large as there are models.
    const share = context.answers.room.share();
    share.hold(bytes);
    return context.answers.send({ pieces, bytes, share }, { 'content-type': 'application/json' });
  });
}

/** Requests that come while the answer of another one is made get the same: so many of them at once cost no more than one. */
class Shared {
  private making: Promise<readonly string[]> | undefined;

  text(engine: Engine, relay: Parameters<Engine['statisticsText']>[0]): Promise<readonly string[]> {
    this.making ??= engine.statisticsText(relay).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }
}
