/** A collector that refuses is told of once, and once more when it takes again. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { resourceOf, samplingOf, spanProcessor, Tracing } from '#telemetry';
import { collectorWatch } from '../../src/server/telemetry-export.ts';

test('a line when the collector begins to refuse, and when it takes again', async () => {
  let status = 400;
  using collector = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: () => new Response('{}', { status, headers: { 'content-type': 'application/json' } }),
  });
  const endpoint = `http://127.0.0.1:${collector.port}`;
  const lines: unknown[] = [];
  const log = { write: (...line: unknown[]) => void lines.push(line) };
  const watch = collectorWatch('traces', endpoint, log as never);
  const processor = spanProcessor(endpoint, 2_000, watch);
  const world = systemWorld();
  const sampling = samplingOf('always_on', 1);
  const tracing = new Tracing({ ...world, sampling, resource: resourceOf({}), processor });
  const facts = { method: 'GET', path: '/', clientAddress: undefined };
  for (const next of [400, 400, 200, 200, 400]) {
    status = next;
    tracing.begin(new Headers(), world.clock.monotonicMs(), () => facts)?.end(200);
    await processor.forceFlush().catch(() => {});
  }
  const failed = ['warn', 'telemetry.export_failed'];
  expect(lines).toEqual([
    [...failed, { signal: 'traces', endpoint, error: expect.any(String) }],
    ['info', 'telemetry.export_recovered', { signal: 'traces', endpoint }],
    [...failed, { signal: 'traces', endpoint, error: expect.any(String) }],
  ]);
  await tracing.stop();
});
