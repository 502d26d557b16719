/** The contract of ObjectStore, for every store that needs no network. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { ObjectReader, ObjectStore } from '../../../src/storage/object/store.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { FaultyDirectory } from './faulty-directory.ts';
import { seededRandom, seededWorld } from './seeded-world.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-object-'));
afterAll(() => rmSync(root, { recursive: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined =>
  value && new TextDecoder().decode(value);

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
  describe(name, () => {
    test('gives back what was put, and replaces it', async () => {
      const store = await open();
      expect(await store.get('sst/a')).toBeUndefined();
      await store.put('sst/a', bytes('one'));
      await store.put('sst/a', [bytes('tw'), bytes(''), bytes('o')]);
      expect(text(await store.get('sst/a'))).toBe('two');
      expect(await store.head('sst/a')).toEqual({ name: 'sst/a', bytes: 3 });
      expect(await store.head('sst/b')).toBeUndefined();
    });

    test('puts if absent exactly once', async () => {
      const store = await open();
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((body) => store.putIfAbsent('epoch/1', bytes(body))),
      );
      expect(outcomes.toSorted()).toEqual(['committed', 'conflict', 'conflict']);
      const winner = ['a', 'b', 'c'][outcomes.indexOf('committed')];
      expect(text(await store.get('epoch/1'))).toBe(winner as string);
    });

    test('clips ranges at the end', async () => {
      const store = await open();
      await store.put('sst/a', bytes('abcdef'));
      expect(text(await store.getRange('sst/a', 2, 3))).toBe('cde');
      expect(text(await store.getRange('sst/a', 4, 9))).toBe('ef');
      expect(text(await store.getRange('sst/a', 9, 9))).toBe('');
      expect(await store.getRange('sst/b', 0, 1)).toBeUndefined();
    });

    test('reads at random, at once, even after the object is deleted', async () => {
      const store = await open();
      await store.put('sst/a', bytes('abcdef'));
      const reader = store.openRead('sst/a') as ObjectReader;
      const target = new Uint8Array(4);
      expect(reader.bytes).toBe(6);
      expect(reader.readInto(1, target)).toBe(4);
      expect(text(target)).toBe('bcde');
      await store.delete(['sst/a', 'sst/never']);
      expect(await store.get('sst/a')).toBeUndefined();
      expect(reader.readInto(4, target)).toBe(2);
      expect(reader.readInto(10, target)).toBe(0);
      reader.close();
      expect(() => store.openRead('sst/a')).toThrow('sst/a does not exist');
    });

    test('lists by prefix, in order, after a name', async () => {
      const store = await open();
      for (const object of ['sst/2', 'sst/1', 'wal/1', 'sst/10', 'other/deep/er']) {
        await store.put(object, bytes(object));
      }
      const names = async (prefix: string, after?: string) =>
        (await store.list(prefix, after)).map((head) => head.name);
      expect(await names('sst/')).toEqual(['sst/1', 'sst/10', 'sst/2']);
      expect(await names('sst/1')).toEqual(['sst/1', 'sst/10']);
      expect(await names('sst/', 'sst/10')).toEqual(['sst/2']);
      expect(await names('other/')).toEqual(['other/deep/er']);
      expect(await names('nothing/')).toEqual([]);
      expect(await names('')).toHaveLength(5);
    });
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
