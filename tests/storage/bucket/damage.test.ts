/** Objects of a bucket that are damaged, missing or exchanged: named, never stepped over. What is merely absent is no damage. */

import { expect, test } from 'bun:test';
import { encodeFence } from '../../../src/storage/bucket/log-object.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import {
  logObjectName as log,
  bucketManifestName as manifest,
} from '../../../src/storage/object/names.ts';
import { intercepted } from './intercepted.ts';
import { troubleOf, Writer } from './writer.ts';

/** Log objects 1 (fence), 2–4 (commits a, b, c), 5 (the fence of an orderly end), and manifest 2 with a boundary below b. */
async function filled() {
  const objects = memoryStore();
  const writer = await Writer.open(objects);
  await writer.commit('a');
  await writer.flush();
  await writer.commit('b');
  await writer.commit('c');
  await writer.durable.close();
  return objects;
}

const get = async (objects: Awaited<ReturnType<typeof filled>>, name: string) =>
  (await objects.get(name)) as Uint8Array;

test.each([log(3), manifest(2)])('every flipped bit and every missing byte of %s', async (name) => {
  const objects = await filled();
  const bytes = await get(objects, name);
  for (let i = 0; i < bytes.length; i++) {
    const flipped = bytes.slice();
    flipped[i] = (flipped[i] as number) ^ (1 << (i % 8));
    for (const damaged of [flipped, bytes.slice(0, i)]) {
      const copy = await filled();
      await copy.put(name, damaged);
      const trouble = await troubleOf(Writer.open(copy));
      // Eight bytes hold the format version and the checksum; a changed version is one that is not known.
      expect(trouble).toMatchObject({ object: name });
      expect(['corrupt', 'format']).toContain(trouble.kind);
    }
  }
});

test('a log object that is missing below another', async () => {
  for (const missing of [3, 4]) {
    const objects = await filled();
    await objects.delete([log(missing)]);
    expect(await troubleOf(Writer.open(objects))).toMatchObject({
      kind: 'vanished',
      object: log(missing),
      evidence: `${log(missing + 1)} comes after it`,
      orManifestAfter: manifest(2),
    });
  }
});

test('the end of a log, up to the record that the newest manifest says it holds', async () => {
  const objects = memoryStore();
  const writer = await Writer.open(objects);
  for (const payload of ['a', 'b', 'c']) await writer.commit(payload);
  // Only a is in a table; object 3 holds b, object 4 c, and nothing follows: the writer was killed.
  await writer.flush(1);
  await objects.delete([log(4)]);
  expect(await troubleOf(Writer.open(objects))).toEqual({
    kind: 'vanished',
    object: log(4),
    evidence: 'the newest existing manifest records a log up to record 3',
    lost: 'its records and all after them would be lost',
    orManifestAfter: manifest(2),
  });
});

test('log objects in each other’s place', async () => {
  const objects = await filled();
  const [third, fourth] = [await get(objects, log(3)), await get(objects, log(4))];
  await objects.put(log(3), fourth);
  await objects.put(log(4), third);
  expect(await troubleOf(Writer.open(objects))).toMatchObject({
    kind: 'corrupt',
    object: log(3),
    detail: 'it contains the id of another log object',
  });
});

test('a manifest under the name of another', async () => {
  const objects = await filled();
  await objects.put(manifest(3), await get(objects, manifest(2)));
  expect(await troubleOf(Writer.open(objects))).toMatchObject({
    kind: 'corrupt',
    object: manifest(3),
    detail: 'it contains the number of another manifest',
  });
});

test('a log whose first object begins above the boundary', async () => {
  const objects = await filled();
  // As if manifest 2 had not covered a: manifest 1 says that the log begins with the first record.
  await objects.delete([manifest(2), log(2)]);
  await objects.put(log(2), fenceAt(2, 2));
  expect(await troubleOf(Writer.open(objects))).toMatchObject({
    kind: 'corrupt',
    object: log(2),
    detail: 'it does not follow record 0',
  });
});

test('an object of an epoch that was fenced before it', async () => {
  const objects = await filled();
  await objects.put(log(4), fenceAt(4, 3, 0));
  expect(await troubleOf(Writer.open(objects))).toMatchObject({
    kind: 'corrupt',
    object: log(4),
    detail: 'its epoch was fenced by an earlier object',
  });
});

test('an object of an epoch that no manifest knows, made while the store opens', async () => {
  const objects = await filled();
  const gate = intercepted(objects, async ({ operation, name }, run) => {
    if (operation === 'putIfAbsent' && name === log(6)) await objects.put(name, fenceAt(6, 4, 9));
    return run();
  });
  expect(await troubleOf(Writer.open(gate))).toMatchObject({
    kind: 'corrupt',
    object: log(6),
    offset: 48,
    detail: 'no manifest contains its epoch',
  });
});

test('an empty bucket, and one with only a claim, open', async () => {
  const objects = memoryStore();
  expect((await Writer.open(objects)).payloads).toEqual([]);
  await objects.delete([log(1)]);
  expect((await Writer.open(objects)).durable.manifest).toMatchObject({ epoch: 2, number: 2 });
});

function fenceAt(id: number, firstRecord: number, epoch = 1): Uint8Array {
  return encodeFence({ id, firstRecord, epoch }, new Uint8Array(16));
}
