/** Requests that are sent before the answer to the one before: not supported, and nothing is executed of which no answer was tried. */

import { expect, test } from 'bun:test';
import { openMemoryEngine } from '../support.ts';
import { head, json, serveHandler } from './served.ts';

function create(name: string): string {
  const columns = [{ name: 'id', type: 'int64' }];
  const body = JSON.stringify({ name, columns, primary_key: ['id'] });
  return head('POST', '/tables', json, `content-length: ${body.length}`) + body;
}

test('what is executed of pipelined requests has had an answer tried', async () => {
  const engine = await openMemoryEngine();
  const answered: number[] = [];
  const all = Promise.withResolvers<void>();
  const { server, connect } = serveHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    onCompleted: (_request, { status }) => {
      if (answered.push(status) === 4) all.resolve();
    },
  });
  const client = await connect();
  client.send(['a', 'b', 'c', 'd'].map(create).join(''));
  // The runtime closes the connection while an answer is pending; each may be there before the next request is looked at.
  await Promise.race([client.closed, all.promise]);
  await server.stop(true);
  const { tables } = await engine.durableCatalog();
  expect(answered.length).toBeGreaterThan(0);
  expect([...tables.values()].length).toBe(answered.filter((status) => status === 200).length);
});
