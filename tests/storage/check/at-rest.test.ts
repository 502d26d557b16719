/** What the doctor says of a store that is there: in the words of the opening that would refuse it, and nothing is written. */

import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { examinePlace, openStore } from '#storage';
import { examineBucketAtRest } from '../../../src/storage/check/at-rest.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { rejection } from '../../support/outcome.ts';
import { Writer } from '../bucket/writer.ts';
import { write } from '../transaction/support.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-at-rest-'));
afterAll(() => rmSync(root, { recursive: true }));

const world = systemWorld();
const open = (path: string) => openStore({ storage: 'file', path, world });
const examination = { rounds: 1, creators: 2 };
const examine = (path: string) =>
  examinePlace({ storage: 'file', path, s3: undefined, world }, examination);
const namesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

let places = 0;

/** Three lives with a commit each: nothing is flushed, the log of the first two is sealed. */
async function lived(): Promise<string> {
  const path = join(root, String(++places));
  for (let life = 1; life <= 3; life++) {
    const store = await open(path);
    await write(store, { [`life ${life}`]: '1' });
    await store.close();
  }
  return path;
}

const segment = 'wal/0000000002-0000000001.log';
const losses: Readonly<Record<string, (path: string) => void>> = {
  'the manifest': (path) => rmSync(join(path, 'manifest'), { recursive: true }),
  'manifest and log': (path) => {
    for (const name of ['manifest', 'wal']) rmSync(join(path, name), { recursive: true });
  },
  'a segment': (path) => rmSync(join(path, segment)),
  'the end of a segment': (path) => truncateSync(join(path, segment), 8192),
  'all of a segment': (path) => truncateSync(join(path, segment), 0),
};

for (const [what, lose] of Object.entries(losses)) {
  test(`lost, and said as the opening says it: ${what}`, async () => {
    const path = await lived();
    lose(path);
    const before = namesIn(path);
    const log = (await examine(path)).find(({ name }) => name === 'log');
    expect(namesIn(path)).toEqual(before);
    const refused = await open(path).catch((error: Error) => error.message);
    expect(log).toMatchObject({ status: 'fail', message: refused });
  });
}

test('what opens passes, open or not', async () => {
  const path = await lived();
  const statuses = async () =>
    (await examine(path)).slice(-3).map(({ name, status }) => `${name} ${status}`);
  const healthy = ['claims pass', 'log pass', 'tables pass'];
  expect(await statuses()).toEqual(healthy);
  const store = await open(path);
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; !isOver; i++) await write(store, { [`key ${i % 9}`]: 'x'.repeat(5000) });
  })();
  for (let look = 0; look < 5; look++) expect(await statuses()).toEqual(healthy);
  isOver = true;
  await writing;
  await store.close();
});

test('a single commit is reported in the singular', async () => {
  const path = join(root, String(++places));
  const store = await open(path);
  const log = async () => (await examine(path)).find(({ name }) => name === 'log')?.message;
  expect(await log()).toMatch(/^0 commits since manifest\/\d{10}-\d{10}, all complete$/);
  await write(store, { key: '1' });
  expect(await log()).toMatch(/^one commit since manifest\/\d{10}-\d{10}, complete$/);
  await store.close();
});

test('a directory in which no store is begun is refused as a server refuses it; an empty one has no store', async () => {
  const path = join(root, 'elsewhere');
  mkdirSync(join(path, 'notes'), { recursive: true });
  expect(await rejection(examine(path))).toMatchObject({ fault: { kind: 'occupied' } });
  const warning = { name: 'store', status: 'warning' };
  expect((await examine(join(path, 'mistyped'))).at(-1)).toMatchObject(warning);
  expect((await examine(join(path, 'notes'))).at(-1)).toMatchObject(warning);
  expect(namesIn(path)).toEqual(['notes']);
});

/** Log objects 1 (fence), 2 and 3 (commits), 4 (the fence of the end). */
async function bucket() {
  const objects = memoryStore();
  const writer = await Writer.open(objects);
  await writer.commit('a');
  await writer.commit('b');
  await writer.durable.close();
  return objects;
}

test.each(['manifest/0000000001', 'wal/0000000000000002', 'everything but the mark'])(
  'lost of a bucket: %s',
  async (lost) => {
    const objects = await bucket();
    const all = (await objects.list('')).map(({ name }) => name);
    await objects.delete(
      all.filter((name) => name === lost || (lost.startsWith('every') && name !== 'runtime')),
    );
    const before = await objects.list('');
    const [log] = await examineBucketAtRest({ objects, world, isThorough: true });
    expect(await objects.list('')).toEqual(before);
    const refused = await Writer.open(objects).catch((error: Error) => error.message);
    expect(log).toMatchObject({ name: 'log', status: 'fail', message: refused });
  },
);

test('a bucket that opens passes, and an empty one has no store', async () => {
  const objects = await bucket();
  const before = await objects.list('');
  const found = await examineBucketAtRest({ objects, world, isThorough: true });
  expect(found.map(({ name, status }) => `${name} ${status}`)).toEqual(['log pass', 'tables pass']);
  expect(await objects.list('')).toEqual(before);
  const empty = await examineBucketAtRest({ objects: memoryStore(), world, isThorough: true });
  expect(empty).toMatchObject([{ name: 'store', status: 'warning' }]);
});

test('an SSTable that only the log names is checked', async () => {
  const path = join(root, String(++places));
  const store = await openStore({ storage: 'file', path, world, writeShareBytes: 1000 });
  const before = join(root, `${places}-manifest`);
  cpSync(join(path, 'manifest'), before, { recursive: true });
  const transaction = store.begin();
  for (let i = 0; i < 200; i++) {
    transaction.put(Buffer.from(`key ${i}`), Buffer.from('value'));
    await transaction.relieve();
  }
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
  await store.close();
  // As after a crash before the manifest was published.
  rmSync(join(path, 'manifest'), { recursive: true });
  cpSync(before, join(path, 'manifest'), { recursive: true });
  const check = async (name: string) => (await examine(path)).find((it) => it.name === name);
  expect(await check('log')).toMatchObject({ status: 'pass' });
  expect(await check('tables')).toMatchObject({ status: 'pass', message: 'one SSTable, intact' });
  const [table] = readdirSync(join(path, 'sst'));
  truncateSync(join(path, 'sst', table as string), 100);
  expect(await check('tables')).toMatchObject({
    status: 'fail',
    details: { damaged: [{ table: `sst/${table}` }] },
  });
});
