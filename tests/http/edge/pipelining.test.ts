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
  const { server, connect } = serveHandler({
    lifecycle: {
      access: 'write',
      engine,
      live: () => 'live',
      ready: () => 'serving',
      startup: () => 'started',
    },
    onCompleted: (_request, { status }) => answered.push(status),
  });
  const client = await connect();
  client.send(['a', 'b', 'c', 'd'].map(create).join(''));
  await client.closed;
  await server.stop(true);
  const { tables } = await engine.durableCatalog();
  expect(answered.length).toBeGreaterThan(0);
  expect([...tables.values()].length).toBe(answered.filter((status) => status === 200).length);
});
