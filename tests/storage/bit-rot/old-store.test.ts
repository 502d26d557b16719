/** Stores as the first format left them: closed, and killed with records in the log. The bytes were written by the last version that knew no other. */

import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import type { DirectoryIo } from '../../../src/storage/object/directory-io.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import left from './format-1.json' with { type: 'json' };
import { PlainDirectory } from './plain-directory.ts';
import { commitInto, judge, openCopy, type StoreAtRest } from './store-at-rest.ts';

type End = keyof typeof left;

async function oldStore(end: End): Promise<StoreAtRest> {
  const directory = new PlainDirectory();
  await prepareTree(directory);
  const { files, state, sequence } = left[end];
  for (const [path, packed] of Object.entries(files)) {
    directory.replace(path, new Uint8Array(gunzipSync(Buffer.from(packed, 'base64'))));
  }
  const states = new Array(sequence).fill(new Map());
  return { directory, states: [...states, new Map(Object.entries(state))] };
}

const openSegment = 'wal/0000000001-0000000031.log';

test.each(['closed', 'killed'] as const)(
  'opens with all that it had, and goes on: %s',
  async (end) => {
    const old = await oldStore(end);
    const states = [...old.states];
    for (let life = 0; life < 3; life++) {
      const store = await openCopy(old.directory);
      await commitInto(store, states, { [`life ${life}`]: 'new' });
      if (life === 1) await store.tidy();
      await store.close();
      expect(await judge({ ...old, states }, old.directory.copy(), '-')).toBe('right');
    }
  },
);

test('a segment that was made and not written to when the power went is no damage there', async () => {
  const old = await oldStore('killed');
  old.directory.replace('wal/0000000001-0000000032.log', new Uint8Array(16 << 10));
  expect(await judge(old, old.directory, '-')).toBe('right');
});

test('what the first opening leaves behind obeys the new rules', async () => {
  const old = await oldStore('killed');
  await openCopy(old.directory);
  const own = 'wal/0000000002-0000000001.log';
  for (const path of [openSegment, own]) {
    const damaged = old.directory.copy();
    damaged.unlink(path);
    expect(await judge(old, damaged, path)).toBe('named');
  }
  expect(await judge(old, old.directory, '-')).toBe('right');
});

test('claims and manifests that are gone are missed there as well', async () => {
  const claimless = await oldStore('killed');
  claimless.directory.unlink('epoch/0000000001');
  expect(await judge(claimless, claimless.directory, 'epoch/0000000001')).toBe('named');
  for (const end of ['closed', 'killed'] as const) {
    const old = await oldStore(end);
    for (const path of old.directory.paths) {
      if (path.startsWith('manifest/')) old.directory.unlink(path);
    }
    expect(await judge(old, old.directory, 'manifest/0000000001-*')).toBe('named');
  }
});

test('wherever the power goes during the first opening, nothing is lost', async () => {
  const old = await oldStore('killed');
  for (let at = 1, hasCrashed = true; hasCrashed; at++) {
    const calm = new FaultyDirectory(seededRandom(at));
    await copyTo(calm, old.directory);
    const doomed = calm.afterPowerLoss({ powerLossAt: at });
    const store = await openCopy(doomed).catch(() => undefined);
    hasCrashed = doomed.hasLostPower;
    if (!hasCrashed) await store?.close();
    expect(await judge(old, doomed.afterPowerLoss(), '-')).toBe('right');
    if (!hasCrashed) expect(at).toBeGreaterThan(20);
  }
});

async function copyTo(io: DirectoryIo, from: PlainDirectory): Promise<void> {
  await prepareTree(io);
  for (const path of from.paths) {
    const file = io.open(path, 'create');
    await file?.write(from.content(path), 0);
    await file?.sync();
    await io.syncDirectory(path.slice(0, path.indexOf('/')));
  }
}
