/** `GET /statistics`: statistics of programs and tables, for planners and operators (docs/statistics.md). */

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
    // Response memory is reserved, because many slow clients would each hold a response, whose size grows with the
    // number of models.
    const share = context.answers.room.share();
    share.hold(bytes);
    return context.answers.send({ pieces, bytes, share }, { 'content-type': 'application/json' });
  });
}

/** Shares one response between concurrent requests, so that many requests cost no more than one. */
class Shared {
  private making: Promise<readonly string[]> | undefined;

  text(engine: Engine, relay: Parameters<Engine['statisticsText']>[0]): Promise<readonly string[]> {
    this.making ??= engine.statisticsText(relay).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }
}
