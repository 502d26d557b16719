/** What requests get while there are too many connections. */

import { expect, test } from 'bun:test';
import type { ConnectionPressure } from '#http';
import { openMemoryEngine, openTestHandler } from '../support.ts';

const engine = await openMemoryEngine();
let pressure: ConnectionPressure = 'normal';
const { send, incidents } = openTestHandler({ engine }, { pressure: () => pressure });
const ask = async (path: string) => {
  const { status, headers } = await send('GET', path);
  return [status, headers.get('connection')];
};

test('no pressure leaves connections open', async () => {
  pressure = 'normal';
  expect(await ask('/tables')).toEqual([200, null]);
});

test('high pressure ends each connection with its answer', async () => {
  pressure = 'high';
  for (const path of ['/tables', '/livez']) expect(await ask(path)).toEqual([200, 'close']);
  expect(await ask('/nothing')).toEqual([404, 'close']);
});

test('at the limit only control is answered, the rest is told to come back', async () => {
  pressure = 'full';
  for (const path of ['/livez', '/readyz', '/startupz', '/healthz']) {
    expect([path, ...(await ask(path))]).toEqual([path, 200, 'close']);
  }
  for (const [method, path] of [
    ['GET', '/tables'],
    ['GET', '/nothing'],
    ['POST', '/execute'],
    ['QUERY', '/execute'],
  ] as const) {
    const { status, headers, json } = await send(method, path);
    expect([status, headers.get('connection'), headers.get('retry-after')]).toEqual([
      503,
      'close',
      '1',
    ]);
    expect(json).toMatchObject({ code: 'internal', reason: 'overloaded' });
    expect(json.detail).toContain('--max-connections');
  }
  expect(incidents).toEqual([]);
});
