/** A place in which a store was opened once, and of which no manifest is left: refused, and nothing is claimed. A first opening that was cut off is none. */

import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { openedMark } from '../../../src/storage/manifest/opened-marker.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { troubleOf, Writer } from '../bucket/writer.ts';
import { write } from '../transaction/support.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-emptied-'));
afterAll(() => rmSync(root, { recursive: true }));

const open = (path: string) => openStore({ storage: 'file', path, world: systemWorld() });

/** `lives` openings, one commit in each. */
async function lived(name: string, lives: number): Promise<string> {
  const path = join(root, name);
  for (let life = 0; life < lives; life++) {
    const store = await open(path);
    await write(store, { [`life ${life}`]: '1' });
    await store.close();
  }
  return path;
}

const namesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

for (const [what, lost] of [
  ['manifests and log', ['manifest', 'wal']],
  ['manifests, log and the last claim', ['manifest', 'wal', 'epoch/0000000002']],
  ['all directories', ['manifest', 'wal', 'epoch', 'sst', 'pin']],
] as const) {
  test(`lost with claims left or not: ${what}`, async () => {
    const path = await lived(what.replaceAll(' ', '-'), 2);
    for (const name of lost) rmSync(join(path, name), { recursive: true });
    const claims = namesIn(path).filter((name) => name.startsWith('epoch/'));
    expect(await troubleOf(open(path))).toEqual({
      kind: 'vanished',
      object: 'manifest/0000000002-*',
      evidence: 'runtime shows that there was one, or a later one',
      lost: 'its information on SSTables and log would be lost',
    });
    expect(namesIn(path).filter((name) => /^(?:epoch|wal|manifest)\//.test(name))).toEqual(claims);
  });
}

test('the mark is there before anything is acknowledged, and again when it was taken away', async () => {
  const path = join(root, 'marked');
  const marks = () => namesIn(path).filter((name) => name === 'runtime');
  for (let life = 0; life < 2; life++) {
    const store = await open(path);
    expect(marks()).toEqual(['runtime']);
    await store.close();
    rmSync(join(path, 'runtime'));
  }
});

test('the mark of a later opening names its epoch, and a damaged one is still a mark', async () => {
  const path = await lived('later', 1);
  const later = Buffer.from(openedMark(systemWorld(), 4)).toString();
  for (const [content, object] of [
    [later, 'manifest/0000000004-*'],
    [later.replace('4', '7'), 'manifest/0000000001-*'],
    ['', 'manifest/0000000001-*'],
  ] as const) {
    for (const name of ['manifest', 'wal']) rmSync(join(path, name), { recursive: true });
    writeFileSync(join(path, 'runtime'), content);
    expect(await troubleOf(open(path))).toMatchObject({ kind: 'vanished', object });
  }
});

test('first openings that were cut off after their claims leave nothing to be missed', async () => {
  const path = join(root, 'cut-off');
  mkdirSync(join(path, 'epoch'), { recursive: true });
  for (const epoch of [1, 2]) writeFileSync(join(path, `epoch/000000000${epoch}`), '{}\n');
  await (await open(path)).close();
  expect(readdirSync(join(path, 'epoch'))).toHaveLength(3);
});

test('a bucket that has lost manifests, log and tables', async () => {
  const objects = memoryStore();
  const writer = await Writer.open(objects);
  await writer.commit('a');
  await writer.durable.close();
  const lost = (await objects.list(''))
    .map(({ name }) => name)
    .filter((name) => name !== 'runtime');
  await objects.delete(lost);
  expect(await troubleOf(Writer.open(objects))).toEqual({
    kind: 'vanished',
    object: 'manifest/0000000001',
    evidence: 'runtime shows that there was one, or a later one',
    lost: 'its information on SSTables and log would be lost',
  });
  expect((await objects.list('')).map(({ name }) => name)).toEqual(['runtime']);
});

test('an older copy of manifests and log beside newer claims is refused: a later writer had a manifest of its own', async () => {
  const path = await lived('older-copy', 1);
  const copy = `${path}-copy`;
  cpSync(path, copy, { recursive: true });
  const store = await open(path);
  await write(store, { second: '1' });
  await store.close();
  for (const below of ['manifest', 'wal']) {
    rmSync(join(path, below), { recursive: true });
    cpSync(join(copy, below), join(path, below), { recursive: true });
  }
  expect(await troubleOf(open(path))).toMatchObject({
    kind: 'vanished',
    object: 'manifest/0000000002-*',
    evidence: expect.stringContaining('runtime'),
  });
  // The copy as a whole is a backup.
  const restored = await open(copy);
  await restored.close();
});
