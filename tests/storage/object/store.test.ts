/** The contract of ObjectStore, for every store that needs no network. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { ObjectReader, ObjectStore } from '../../../src/storage/object/store.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { bytes, objectStoreContract, text } from './contract.ts';
import { FaultyDirectory } from './faulty-directory.ts';
import { seededRandom, seededWorld } from './seeded-world.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-object-'));
afterAll(() => rmSync(root, { recursive: true }));

async function overDirectory(io: Parameters<typeof fileStore>[0]): Promise<ObjectStore> {
  await prepareTree(io);
  return fileStore(io, seededWorld(1).random);
}

const stores: Record<string, () => Promise<ObjectStore>> = {
  memory: async () => memoryStore(),
  file: () => overDirectory(systemDirectory(mkdtempSync(join(root, 'store-')))),
  'faulty without faults': () => overDirectory(new FaultyDirectory(seededRandom(1))),
};

for (const [name, open] of Object.entries(stores)) {
  objectStoreContract(name, open);

  test(`${name} reads at once, also after the object is deleted`, async () => {
    const store = await open();
    await store.put('sst/a', bytes('abcdef'));
    const reader = store.openRead('sst/a') as ObjectReader;
    const target = new Uint8Array(4);
    await store.delete(['sst/a']);
    expect(await store.get('sst/a')).toBeUndefined();
    expect(reader.readInto(1, target)).toBe(4);
    expect(text(target)).toBe('bcde');
    reader.close();
  });
}

test('a file store leaves nothing in its temporary directory', async () => {
  const path = mkdtempSync(join(root, 'store-'));
  const store = await overDirectory(systemDirectory(path));
  await store.put('sst/a', bytes('a'));
  await store.putIfAbsent('sst/a', bytes('b'));
  await store.putIfAbsent('sst/b', bytes('b'));
  expect(readdirSync(join(path, 'tmp'))).toEqual([]);
});

test('a full disk is reported as such, and leaves the old object', async () => {
  const store = await overDirectory(new FaultyDirectory(seededRandom(3), { roomBytes: 10 }));
  await store.put('sst/a', bytes('12345'));
  const failure = await store.put('sst/a', bytes('1234567')).catch((error) => error);
  expect(failure.trouble).toEqual({ kind: 'full', operation: 'write', object: 'sst/a' });
  expect(text(await store.get('sst/a'))).toBe('12345');
});
