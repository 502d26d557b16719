/** An empty store that was begun where a database had been: what comes back of that is never removed as a leftover. */

import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import { troubleOf } from '../bucket/writer.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';
import { write } from '../transaction/support.ts';
import { openAndRead } from './lineage.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-begun-'));
afterAll(() => rmSync(root, { recursive: true }));

const open = (path: string) => openStore({ storage: 'file', path, world: systemWorld() });

async function live(path: string, key: string, isFlushed = false): Promise<void> {
  const store = await open(path);
  await write(store, { [key]: '1' });
  if (isFlushed) await store.tidy();
  await store.close();
}

const namesIn = (path: string, ...below: string[]) =>
  below.flatMap((name) => readdirSync(join(path, name)).map((entry) => `${name}/${entry}`)).sort();

for (const below of ['wal', 'manifest', 'sst']) {
  test(`what was lost comes back after an empty store was begun: ${below}/`, async () => {
    const path = join(root, below);
    await live(path, 'first', below === 'sst');
    const copy = `${path}-copy`;
    cpSync(path, copy, { recursive: true });
    for (const name of ['manifest', 'wal', 'sst', 'runtime']) {
      rmSync(join(path, name), { recursive: true });
    }
    await live(path, 'second');
    await live(path, 'third');
    cpSync(join(copy, below), join(path, below), { recursive: true });
    const restored = namesIn(copy, below);
    for (let start = 0; start < 2; start++) {
      expect(await troubleOf(open(path))).toEqual({
        kind: 'foreign',
        object: restored[0] as string,
        begun: 2,
      });
      expect(namesIn(path, below)).toEqual(expect.arrayContaining(restored));
    }
    for (const name of restored) rmSync(join(path, name));
    await live(path, 'fourth', true);
    await live(path, 'fifth');
  });
}

/** `objects` whose first list of manifests waits for `meanwhile`. */
function interrupted(objects: ObjectStore, meanwhile: () => Promise<unknown>): ObjectStore {
  let before: (() => Promise<unknown>) | undefined = meanwhile;
  const list: ObjectStore['list'] = async (prefix) => {
    if (prefix === 'manifest/' && before && (await objects.list('epoch/')).length === 1) {
      const first = before;
      before = undefined;
      await first();
    }
    return objects.list(prefix);
  };
  return new Proxy(objects, {
    get: (target, name) => {
      if (name === 'list') return list;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a writer that was replaced between its claim and its manifest leaves none with what the newer one holds', async () => {
  const directory = new FaultyDirectory(seededRandom(1));
  await prepareTree(directory);
  const place = directoryLocation(directory, seededWorld(1), 16 << 10);
  const newer = async () => {
    const { durable } = await openAndRead(place, 2);
    expect(durable.epoch).toBe(2);
    await durable.log.durable(durable.log.append([new Uint8Array(1)]));
    await durable.publish({ ...durable.manifest, boundary: 1 });
  };
  const replaced = { ...place, objects: interrupted(place.objects, newer) };
  expect(await troubleOf(openAndRead(replaced, 1))).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect((await openAndRead(place, 3)).durable.epoch).toBe(3);
});
