/** Manifests: their bytes, which one counts, what is left over. */

import { expect, test } from 'bun:test';
import { crc32 } from '#base';
import { decodeManifest, encodeManifest } from '../../../src/storage/manifest/encoding.ts';
import { type Manifest, noManifest } from '../../../src/storage/manifest/manifest.ts';
import {
  deleteManifestsBefore,
  loadNewestManifest,
  orphanTables,
  writeManifest,
} from '../../../src/storage/manifest/manifest-store.ts';
import { GarbageCollector } from '../../../src/storage/object/garbage-collector.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { manifestName, tableName } from '../../../src/storage/object/names.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { manualWorld } from '../../support/manual-world.ts';

const empty: Manifest = { ...noManifest, epoch: 1, number: 1 };
const manifest: Manifest = {
  epoch: 7,
  number: 12,
  boundary: 2 ** 40 + 3,
  lastSequence: 2 ** 52,
  nextFile: 300,
  log: { segment: 3, record: 2 ** 40 + 9 },
  seals: [{ epoch: 6, segment: 2, bytes: 16 << 20, lastRecord: 2 ** 40 + 9 }],
  runs: [
    { level: 0, tables: [] },
    {
      level: 3,
      tables: [
        {
          name: tableName(7, 299),
          bytes: 64 << 20,
          smallest: new Uint8Array([0]),
          largest: new Uint8Array(300).fill(255),
          sequenceMin: 1,
          sequenceMax: 2 ** 52,
          entries: 1e6,
          hash: 0xfedc_ba98_7654_3210n,
        },
      ],
    },
  ],
  properties: new Map([
    ['größe', new Uint8Array([1, 2])],
    ['', new Uint8Array()],
  ]),
};

const trouble = async (work: () => unknown) => {
  try {
    await work();
  } catch (error) {
    if (error instanceof StorageError) return error.fault;
    throw error;
  }
  return undefined;
};

test('reads back what was written', () => {
  expect(decodeManifest(encodeManifest(manifest), 'm')).toEqual(manifest);
  expect(decodeManifest(encodeManifest(empty), 'm')).toEqual(empty);
});

test('notices every flipped bit and every missing byte', async () => {
  const bytes = encodeManifest(manifest);
  for (let i = 0; i < bytes.length; i++) {
    const damaged = bytes.slice();
    damaged[i] = (damaged[i] as number) ^ (1 << (i % 8));
    expect(await trouble(() => decodeManifest(damaged, 'm'))).toMatchObject({ kind: 'corrupt' });
    expect(await trouble(() => decodeManifest(bytes.slice(0, i), 'm'))).toMatchObject({
      kind: 'corrupt',
      object: 'm',
    });
  }
});

test('refuses another format version', async () => {
  const bytes = encodeManifest(empty);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint32(8, 9, true);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  expect(await trouble(() => decodeManifest(bytes, 'm'))).toEqual({
    kind: 'format',
    object: 'm',
    version: 9,
  });
});

test('the highest name wins: the epoch first, then the number', async () => {
  const objects = memoryStore();
  expect(await loadNewestManifest(objects)).toBeUndefined();
  const at = (epoch: number, number: number): Manifest => ({ ...empty, epoch, number });
  for (const [epoch, number] of [
    [2, 1],
    [1, 900],
    [10, 1],
    [9, 12],
  ] as const) {
    await writeManifest(objects, at(epoch, number));
  }
  expect(await loadNewestManifest(objects)).toEqual(at(10, 1));
  await deleteManifestsBefore(new GarbageCollector(objects, manualWorld().clock), at(9, 12));
  const names = (await objects.list('manifest/')).map(({ name }) => name);
  expect(names).toEqual([manifestName(9, 12), manifestName(10, 1)]);
});

test('a damaged newest manifest is named, never skipped', async () => {
  const objects = memoryStore();
  await writeManifest(objects, empty);
  const newest = manifestName(1, 2);
  await objects.put(newest, new Uint8Array(50));
  expect(await trouble(() => loadNewestManifest(objects))).toMatchObject({
    kind: 'corrupt',
    object: newest,
  });
  await objects.put(newest, encodeManifest(empty));
  expect(await trouble(() => loadNewestManifest(objects))).toMatchObject({
    detail: 'it contains the number of another manifest',
  });
});

test('a manifest is never replaced', async () => {
  const objects = memoryStore();
  await writeManifest(objects, empty);
  expect(await trouble(() => writeManifest(objects, empty))).toMatchObject({ kind: 'io' });
});

test('orphans are tables of earlier epochs that the manifest does not name', async () => {
  const objects = memoryStore();
  const names = [tableName(7, 299), tableName(6, 1), tableName(7, 300), 'sst/readme'];
  for (const name of names) await objects.put(name, new Uint8Array());
  const collector = new GarbageCollector(objects, manualWorld().clock);
  const orphansOf = async (of: Manifest) =>
    (await orphanTables(collector, of)).map(({ name }) => name);
  expect(await orphansOf(manifest)).toEqual([tableName(6, 1)]);
  expect(await orphansOf({ ...manifest, epoch: 8 })).toEqual([tableName(6, 1), tableName(7, 300)]);
});
