/** Credentials in a file that changes while requests are sent. */

import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../src/storage/object/s3/address.ts';
import { exchangeWith } from '../../src/storage/object/s3/exchange.ts';
import { manualWorld } from '../support/manual-world.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-credentials-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = join(directory, 'credentials');

const write = (id: string) =>
  writeFileSync(
    path,
    `[default]\naws_access_key_id=${id}\naws_secret_access_key=secret-of-${id}\n`,
  );
beforeEach(() => write('old'));

/** Requests to a server that accepts only the key `accepted`, or every key. */
function client(accepted?: () => string) {
  const world = manualWorld();
  const sent: string[] = [];
  const place = { bucket: 'b', prefix: '', region: 'r', endpoint: 'http://127.0.0.1:1' };
  const send = exchangeWith(
    {
      ...place,
      world,
      credentials: { accessKeyId: 'old', secretAccessKey: 'secret-of-old' },
      credentialsFile: { path, profile: 'default' },
      transport: async (_url, { headers }) => {
        const { authorization = '' } = headers as Record<string, string>;
        const id = /Credential=(\w+)\//.exec(authorization)?.[1] ?? '';
        sent.push(id);
        const isRefused = accepted !== undefined && accepted() !== id;
        return new Response('', { status: isRefused ? 403 : 200 });
      },
    },
    addressOf(place),
  );
  const get = async () => {
    const answer = await send({ method: 'GET', key: 'k' });
    return answer.kind === 'answer' ? answer.status : answer.error.message;
  };
  return { world, sent, get };
}

test('a changed file counts within a second', async () => {
  const { world, sent, get } = client();
  await get();
  write('renewed');
  world.advance(999);
  await get();
  world.advance(1);
  await get();
  expect(sent).toEqual(['old', 'old', 'renewed']);
});

test('a refused request is sent again with the credentials of the file', async () => {
  const { sent, get } = client(() => 'renewed');
  expect(await get()).toBe(403);
  write('renewed');
  expect(await get()).toBe(200);
  expect(sent).toEqual(['old', 'old', 'renewed']);
});

test('all requests that were refused together are sent again', async () => {
  const { sent, get } = client(() => 'renewed');
  await get();
  write('renewed');
  expect(await Promise.all([get(), get(), get()])).toEqual([200, 200, 200]);
  expect(sent.filter((id) => id === 'renewed')).toHaveLength(3);
});

test('a file without usable credentials keeps the former ones', async () => {
  const { world, sent, get } = client();
  for (const text of ['', '[default]\naws_access_key_id=new\n', '[other]\n']) {
    writeFileSync(path, text);
    world.advance(2_000);
    expect(await get()).toBe(200);
  }
  rmSync(path);
  world.advance(2_000);
  expect(await get()).toBe(200);
  write('renewed');
  world.advance(2_000);
  await get();
  expect(sent).toEqual(['old', 'old', 'old', 'old', 'renewed']);
});
