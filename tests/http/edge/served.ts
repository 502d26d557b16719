/** The handler behind a real listener, under a clock that the test moves. */

import { createHandler, type HandlerOptions } from '#http';
import { manualWorld } from '../../support/manual-world.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { openMemoryEngine, testLimits } from '../support.ts';

const mib = 1 << 20;
const engine = await openMemoryEngine();

export function serveHandler(options: Partial<HandlerOptions> = {}) {
  const world = manualWorld();
  const incidents: unknown[] = [];
  const { handle, counters } = createHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    limits: { ...testLimits, bodyBytesMax: 4 * mib, arrivingBytesMax: 8 * mib },
    random: world.random,
    clock: world.clock,
    scheduler: world.scheduler,
    loopbackOnly: true,
    onInternalError: (_incident, error) => incidents.push(error),
    ...options,
  });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 2 ** 40,
    development: false,
    fetch: handle,
  });
  const connect = () => openRawClient(server.port as number);
  return { server, world, counters, incidents, connect };
}

export function head(method: string, path: string, ...headers: string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

export const json = 'content-type: application/json';
