/** Servers without `--auth` whose database gets its first key or its first row policies while they run. */

import { expect, test } from 'bun:test';
import { setPolicies } from '../../engine/policies/support.ts';
import { eventually, startTestServer } from '../test-server.ts';

/** A writer and a reader of one directory, both started before the first key. */
async function pair(writerFlags: Record<string, string>, readerFlags: Record<string, string>) {
  const writer = await startTestServer(writerFlags);
  await writer.server.opened;
  const place = { role: 'read', 'storage-path': writer.directory };
  const reader = await startTestServer({ ...place, ...readerFlags });
  let isOpen = false;
  void reader.server.opened.then(() => {
    isOpen = true;
  });
  const second = () => {
    writer.world.advance(1000);
    reader.world.advance(1000);
  };
  await eventually(() => isOpen, second);
  const createKey = async (name: string) => {
    const response = await fetch(`http://127.0.0.1:${writer.port}/auth/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, scopes: ['admin'] }),
    });
    return response.status;
  };
  return {
    writer,
    reader,
    second,
    createKey,
    /** Waits until the reader has the state with the key. */
    follow: async () => {
      const table = { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };
      await fetch(`http://127.0.0.1:${writer.port}/tables`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(table),
      });
      await eventually(async () => {
        const { status, json } = await reader.get('/tables');
        return status !== 200 || JSON.stringify(json).includes('"t"');
      }, second);
    },
    [Symbol.asyncDispose]: async () => {
      await reader[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
    },
  };
}

type Events = readonly { readonly event: string }[];
const named = (events: Events, event: string) => events.filter((one) => one.event === event);

test('a reader that was started without --auth refuses all requests but probes from the first key on', async () => {
  await using both = await pair({}, {});
  const { writer, reader, createKey, follow, second } = both;
  expect((await reader.get('/tables')).status).toBe(200);
  expect(await createKey('first')).toBe(201);
  await follow();
  for (const path of ['/tables', '/info', '/healthz', '/metrics', '/auth/self', '/nothing']) {
    const response = await fetch(`http://127.0.0.1:${reader.port}${path}`);
    expect([path, response.status]).toEqual([path, 503]);
    expect(await response.text()).toContain('restart the reader with the --auth of the writer');
  }
  expect(await reader.get('/readyz')).toEqual({
    status: 503,
    json: { reason: 'authentication_required' },
  });
  expect((await reader.get('/livez')).status).toBe(200);
  expect((await reader.get('/startupz')).status).toBe(200);
  // Later states and checks of the storage do not open it again.
  expect(await createKey('second')).toBe(201);
  for (let i = 0; i < 5; i++) {
    second();
    expect((await reader.get('/readyz')).status).toBe(503);
  }
  expect(named(reader.events, 'auth.required')).toHaveLength(1);
  // The client without authentication that created the first key can create others.
  expect((await writer.get('/tables')).status).toBe(200);
  expect(named(writer.events, 'auth.keys_ignored')).toHaveLength(1);
});

test.each<[string, Record<string, string>, number, readonly string[]]>([
  ['that was started without --auth refuses', {}, 503, ['auth.policies_ignored', 'auth.required']],
  ['with --auth none serves', { auth: 'none' }, 200, []],
])('a reader %s requests from the first row policies on', async (_, flags, status, events) => {
  await using both = await pair(flags, flags);
  const { writer, reader, follow } = both;
  await setPolicies(await writer.server['engine'], { claims: [], tables: [] });
  await follow();
  expect((await reader.get('/tables')).status).toBe(status);
  expect((await writer.get('/statistics')).status).toBe(200);
  const found = [...writer.events, ...reader.events].map(({ event }) => event);
  expect(found.filter((event) => event.startsWith('auth.'))).toEqual([...events]);
});

test('with --auth none said, both stay open and say nothing', async () => {
  await using both = await pair({ auth: 'none' }, { auth: 'none' });
  const { writer, reader, createKey, follow } = both;
  expect(await createKey('first')).toBe(201);
  await follow();
  expect((await reader.get('/tables')).status).toBe(200);
  const events = [...reader.events, ...writer.events].filter(({ event }) => /^auth/.test(event));
  expect(events).toEqual([]);
});

test('a reader with --auth keys waits for the first key, and is not stopped by it', async () => {
  await using both = await pair({}, { auth: 'keys' });
  const { reader, second, writer } = both;
  expect((await reader.get('/tables')).status).toBe(401);
  const response = await fetch(`http://127.0.0.1:${writer.port}/auth/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'first', scopes: ['read'] }),
  });
  const { key } = (await response.json()) as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  await eventually(
    async () => (await fetch(`http://127.0.0.1:${reader.port}/tables`, { headers })).status === 200,
    second,
  );
  expect(named(reader.events, 'auth.required')).toEqual([]);
});
