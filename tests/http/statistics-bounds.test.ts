/** `GET /statistics` where there is more than fits: what is dropped and evicted is counted, and the sum is right. */

import { expect, test } from 'bun:test';
import { manualWorld } from '../support/manual-world.ts';
import { openMemoryEngine, openTestHandler, testLimits } from './support.ts';

const limits = {
  ...testLimits,
  bodyBytesMax: 1 << 20,
  arrivingBytesMax: 1 << 24,
  depthMax: 64,
  unsentBytesMax: 1 << 26,
};

/** Families differ in the name of a node. */
function program(family: number): string {
  const columns = [{ name: 'a', type: 'int64', nullable: false }];
  const name = `n${family}`;
  const nodes = { [name]: { kind: 'rows', scope: 'r', columns, rows: [['1']] } };
  const relation = { nodes, root: { node: name, cardinality: 'exactly_one' } };
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
}

test('a full queue drops, and too many families evict; together they are all that ran', async () => {
  // Nobody empties the queue before time goes on.
  const engine = await openMemoryEngine('direct', manualWorld());
  const { handle, send } = openTestHandler({ engine }, { limits });
  const headers = { 'content-type': 'application/json' };
  const run = async (from: number, to: number) => {
    for (let family = from; family < to; family++) {
      const request = { method: 'POST', headers, body: program(family) };
      expect((await handle(new Request('http://localhost/execute', request))).status).toBe(200);
    }
  };
  await run(0, 4_100);
  const { json: full } = await send('GET', '/statistics');
  expect(full).toMatchObject({ absorbed: 4_096, dropped: 4, evicted: 0, trackedFamilies: 4_096 });
  await run(5_000, 5_010);
  const { json: more } = await send('GET', '/statistics');
  expect(more).toMatchObject({ absorbed: 4_106, dropped: 4, evicted: 10, trackedFamilies: 4_096 });
  await engine.close();
});
