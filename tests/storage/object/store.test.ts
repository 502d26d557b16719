/** The contract of ObjectStore, for every store that needs no network. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DirectoryIo } from '../../../src/storage/object/directory-io.ts';
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
  expect(failure.fault).toEqual({ kind: 'full', operation: 'write', object: 'sst/a' });
  expect(text(await store.get('sst/a'))).toBe('12345');
});

/** Another process empties `tmp/` whenever an object in the making has been synced, `times` times. */
function emptiedUnderway(io: DirectoryIo, times: number): DirectoryIo {
  let left = times;
  return {
    open(path, mode) {
      const file = io.open(path, mode);
      return (
        file && {
          ...file,
          async sync() {
            await file.sync();
            if (left-- > 0) await prepareTree(io);
          },
        }
      );
    },
    sizeOf: (path) => io.sizeOf(path),
    link: (from, to) => io.link(from, to),
    rename: (from, to) => io.rename(from, to),
    unlink: (path) => io.unlink(path),
    remove: (path) => io.remove(path),
    makeDirectory: (path) => io.makeDirectory(path),
    entries: (path) => io.entries(path),
    syncDirectory: (path) => io.syncDirectory(path),
  };
}

const directories: Record<string, () => DirectoryIo> = {
  'of the system': () => systemDirectory(mkdtempSync(join(root, 'store-'))),
  'in memory': () => new FaultyDirectory(seededRandom(1)),
};

for (const [name, directory] of Object.entries(directories)) {
  test(`a writer that starts removes nothing for good that a reader is making in a directory ${name}`, async () => {
    const io = directory();
    await prepareTree(io);
    const { random } = seededWorld(1);
    await fileStore(emptiedUnderway(io, 1), random).put('pin/a', bytes('a'));
    const outcome = await fileStore(emptiedUnderway(io, 1), random).putIfAbsent(
      'pin/b',
      bytes('b'),
    );
    expect(outcome).toBe('committed');
    const store = fileStore(io, random);
    expect(text(await store.get('pin/a'))).toBe('a');
    expect(text(await store.get('pin/b'))).toBe('b');
    expect(io.entries('tmp')).toEqual([]);
  });

  test(`what is removed again and again is given up in a directory ${name}`, async () => {
    const io = directory();
    await prepareTree(io);
    const store = fileStore(emptiedUnderway(io, Number.POSITIVE_INFINITY), seededWorld(1).random);
    const failure = await store.put('pin/a', bytes('a')).catch((error) => error);
    expect(failure.fault).toEqual({ kind: 'io', operation: 'write', object: 'pin/a' });
  });
}

test('what is created is for its owner and group alone, and no program', () => {
  const path = mkdtempSync(join(root, 'store-'));
  const directory = systemDirectory(path);
  directory.open('a', 'create')?.close();
  directory.makeDirectory('d');
  expect(statSync(join(path, 'a')).mode & 0o137).toBe(0);
  expect(statSync(join(path, 'd')).mode & 0o027).toBe(0);
});

test('objects are deleted one after the other, and never on this thread', async () => {
  const io = new FaultyDirectory(seededRandom(1));
  await prepareTree(io);
  const store = fileStore(io, seededWorld(1).random);
  const names = Array.from({ length: 40 }, (_, i) => `sst/${i}`);
  for (const name of names) await store.put(name, bytes('a'));
  io.unlink = () => {
    throw new Error('frees space on this thread');
  };
  let running = 0;
  let most = 0;
  const remove = io.remove.bind(io);
  io.remove = async (path) => {
    running++;
    most = Math.max(most, running);
    const found = await remove(path);
    running--;
    return found;
  };
  await store.delete(names);
  expect(most).toBe(1);
  expect(io.entries('sst')).toEqual([]);
});
