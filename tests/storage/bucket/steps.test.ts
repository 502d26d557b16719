/**
 * The steps of opening, committing, publishing and collecting (docs/storage-format.md, "Bucket"), each by the shortest story that goes wrong
 * without it; the stories are those that the models in tests/models found.
 */

import { expect, test } from 'bun:test';
import { orphanTables } from '../../../src/storage/manifest/manifest-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import {
  logObjectName as log,
  bucketManifestName as manifest,
} from '../../../src/storage/object/names.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { intercepted, Script } from './intercepted.ts';
import { troubleOf, Writer } from './writer.ts';

/** A bucket, and a way into it that can be held back. */
function bucket() {
  const objects = memoryStore();
  const script = new Script();
  return { objects, script, slow: intercepted(objects, script.gate) };
}

const names = async (objects: ObjectStore, prefix: string) =>
  (await objects.list(prefix)).map(({ name }) => name);

/** Publishes and collects until only its last manifest is left. */
async function moveOn(writer: Writer): Promise<void> {
  await writer.flush();
  await writer.flush();
  await writer.collect();
}

test('O1: a manifest that goes between listing and reading is looked for again', async () => {
  const { objects, script, slow } = bucket();
  const leader = await Writer.open(objects);
  await leader.commit('a');
  const reading = script.stall('get', manifest(1));
  const opening = Writer.open(slow);
  await reading.reached;
  await moveOn(leader);
  reading.release();
  const next = await opening;
  expect(next.durable.manifest).toMatchObject({ epoch: 2, number: 4, boundary: 1 });
  expect(next.payloads).toEqual(['a']);
});

test('O1: a manifest that is listed and never there is no reason to ask for ever', async () => {
  const { objects } = bucket();
  await Writer.open(objects);
  let asked = 0;
  const torn: ObjectStore = {
    ...objects,
    async get(name) {
      if (name.startsWith('manifest/') && asked++ < 1000) return undefined;
      return objects.get(name);
    },
  };
  const trouble = await troubleOf(Writer.open(torn));
  expect(trouble).toEqual({ kind: 'io', operation: 'read', object: manifest(1) });
});

test('O1: a manifest that a writer that is over makes in the place of the listed one is no sign of a loss', async () => {
  const { objects, script, slow } = bucket();
  const over = await Writer.open(slow);
  const publishing = script.stall('putIfAbsent', manifest(2));
  const flushing = over.flush();
  await publishing.reached;
  const leader = await Writer.open(objects);
  await leader.commit('a');
  const reading = script.stall('get', manifest(2));
  const opening = Writer.open(slow);
  await reading.reached;
  await moveOn(leader);
  publishing.release();
  expect(await troubleOf(flushing)).toMatchObject({ kind: 'fenced' });
  reading.release();
  const next = await opening;
  expect(next.durable.manifest).toMatchObject({ epoch: 3, number: 5 });
  expect(next.payloads).toEqual(['a']);
});

test('what is no manifest is nobody’s: it is not read, not deleted, and fences nobody', async () => {
  const { objects } = bucket();
  // Tools mark folders like that.
  const others = ['manifest/', 'manifest/read me'];
  for (const name of others) await objects.put(name, new Uint8Array());
  const first = await Writer.open(objects);
  await first.commit('a');
  await moveOn(first);
  const second = await Writer.open(objects);
  expect(second.payloads).toEqual(['a']);
  await second.commit('b');
  await moveOn(second);
  expect(await names(objects, 'manifest/')).toEqual([
    'manifest/',
    manifest(second.durable.manifest.number),
    'manifest/read me',
  ]);
});

test('O2: of two that claim the same number with the same contents, one goes on to the next', async () => {
  const { objects, script, slow } = bucket();
  const claiming = script.stall('putIfAbsent', manifest(1));
  const opening = Writer.open(slow);
  await claiming.reached;
  const first = await Writer.open(objects);
  claiming.release();
  const second = await opening;
  expect([first.durable.epoch, second.durable.epoch]).toEqual([1, 2]);
  expect(await names(objects, 'manifest/')).toEqual([manifest(1), manifest(2)]);
});

test('O3: who claims a number that was collected touches nothing', async () => {
  const { objects, script, slow } = bucket();
  const leader = await Writer.open(objects);
  await leader.commit('a');
  const claiming = script.stall('putIfAbsent', manifest(2));
  const opening = Writer.open(slow);
  await claiming.reached;
  await moveOn(leader);
  const before = await names(objects, 'wal/');
  claiming.release();
  expect(await troubleOf(opening)).toEqual({ kind: 'fenced', epoch: 2, by: 1 });
  expect(await names(objects, 'wal/')).toEqual(before);
  await leader.commit('b');
});

test('O4: who meets a newer epoch in the log touches nothing', async () => {
  const { objects, script, slow } = bucket();
  const reading = script.stall('get', log(1));
  const opening = Writer.open(slow);
  await reading.reached;
  const leader = await Writer.open(objects);
  await leader.commit('a');
  const before = await names(objects, 'wal/');
  reading.release();
  expect(await troubleOf(opening)).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect(await names(objects, 'wal/')).toEqual(before);
  await leader.commit('b');
});

test('O5: a commit that gets in before the fence is replayed', async () => {
  const { objects, script, slow } = bucket();
  const leader = await Writer.open(objects);
  const fencing = script.stall('putIfAbsent', log(2));
  const opening = Writer.open(slow);
  await fencing.reached;
  await leader.commit('a');
  fencing.release();
  const next = await opening;
  expect(next.payloads).toEqual(['a']);
  expect(await troubleOf(leader.commit('b'))).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
});

test('O6: who was overtaken while it read the log does not open', async () => {
  const { objects, script, slow } = bucket();
  const looking = script.stall('list', 'manifest/', 2);
  const opening = Writer.open(slow);
  await looking.reached;
  const leader = await Writer.open(objects);
  await leader.commit('a');
  looking.release();
  expect(await troubleOf(opening)).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
});

test('O6: a hole in the log that a later writer made is no end of the log', async () => {
  const { objects, script, slow } = bucket();
  const first = await Writer.open(objects);
  await first.commit('a');
  const reading = script.stall('list', 'wal/', 2);
  const opening = Writer.open(slow);
  await reading.reached;
  const leader = await Writer.open(objects);
  await moveOn(leader);
  expect(await names(objects, 'wal/')).toEqual([log(1), log(3)]);
  reading.release();
  expect(await troubleOf(opening)).toEqual({ kind: 'fenced', epoch: 2, by: 3 });
});

test('C1: a fence ends its writer, and what was not acknowledged is not there', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  const sending = script.stall('putIfAbsent', log(3));
  const commit = writer.commit('b');
  await sending.reached;
  const next = await Writer.open(objects);
  sending.release();
  expect(await troubleOf(commit)).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect(writer.durable.log.poisoned?.fault.kind).toBe('fenced');
  expect(() => writer.durable.log.append([])).toThrow('taken over by epoch 2');
  expect(next.payloads).toEqual(['a']);
});

test('C1: one group is on its way at a time, and acknowledgements come in order', async () => {
  const { script, slow } = bucket();
  const writer = await Writer.open(slow);
  const sending = script.stall('putIfAbsent', log(2));
  const order: string[] = [];
  const commits = ['a', 'b', 'c'].map(async (payload) => {
    await writer.commit(payload);
    order.push(payload);
  });
  await sending.reached;
  const later = ['d', 'e'].map(async (payload) => {
    await writer.commit(payload);
    order.push(payload);
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(script.calls.at(-1)).not.toBe(`putIfAbsent ${log(3)}`);
  sending.release();
  await Promise.all([...commits, ...later]);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(writer.durable.log.counters.groups).toBe(2);
});

test('P2: a flush may end inside a log object, which stays until it is flushed whole', async () => {
  const { objects } = bucket();
  const writer = await Writer.open(objects);
  await Promise.all(['a', 'b', 'c'].map((payload) => writer.commit(payload)));
  await writer.flush(2);
  await writer.collect();
  expect(await names(objects, 'wal/')).toEqual([log(1), log(2)]);
  const next = await Writer.open(objects);
  expect(next.payloads).toEqual(['a', 'b', 'c']);
  expect(next.durable.recovered.replayedRecords).toBe(1);
  await next.flush();
  await next.collect();
  expect(await names(objects, 'wal/')).toEqual([log(1), log(3)]);
});

test('P2: a number that is taken ends the publisher', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  const publishing = script.stall('putIfAbsent', manifest(2));
  const flush = writer.flush();
  await publishing.reached;
  const next = await Writer.open(objects);
  publishing.release();
  expect(await troubleOf(flush)).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect(next.durable.manifest.runs).toEqual([]);
});

test('P3: who publishes a number that was collected does not believe it', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  const publishing = script.stall('putIfAbsent', manifest(2));
  const flush = writer.flush();
  await publishing.reached;
  await moveOn(await Writer.open(objects));
  expect(await names(objects, 'manifest/')).toEqual([manifest(4)]);
  publishing.release();
  expect(await troubleOf(flush)).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect(await troubleOf(writer.collect())).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
});

test('P3: nothing is collected on the strength of a manifest that is not confirmed', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  await writer.flush();
  await writer.collect();
  await writer.commit('b');
  const before = [...(await names(objects, 'manifest/')), ...(await names(objects, 'wal/'))];
  const listing = script.stall('list', 'manifest/');
  const flush = writer.flush();
  await listing.reached;
  await writer.collect();
  for (const name of before) expect(await objects.get(name)).toBeDefined();
  listing.release();
  await flush;
  await writer.collect();
  expect(await names(objects, 'wal/')).toEqual([log(1)]);
  expect(await names(objects, 'manifest/')).toEqual([manifest(3)]);
});

test('P3: a writer that could not confirm its manifest is not told that it was taken over', async () => {
  const { objects } = bucket();
  let isOut = false;
  const writer = await Writer.open({
    ...objects,
    list: async (prefix, after) => {
      const refusal = { kind: 'unauthorized', operation: 'list', object: prefix } as const;
      if (isOut && prefix === 'manifest/') throw new StorageError(refusal);
      return objects.list(prefix, after);
    },
  });
  await writer.commit('a');
  isOut = true;
  expect((await troubleOf(writer.flush())).kind).toBe('unauthorized');
  isOut = false;
  expect(await names(objects, 'manifest/')).toEqual([manifest(1), manifest(2)]);
  expect(await writer.durable.fenced()).toBeUndefined();
  expect((await troubleOf(writer.flush())).kind).toBe('unauthorized');
});

test('a manifest that somebody takes away is made again, but not once there is a higher one', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  await writer.flush();
  expect(await writer.durable.restoreManifest()).toBeUndefined();
  await objects.delete([manifest(2)]);
  expect(await writer.durable.restoreManifest()).toBe(manifest(2));
  await writer.flush();
  await writer.collect();
  expect(await names(objects, 'manifest/')).toEqual([manifest(3)]);
  // What is published meanwhile waits, and stays the highest.
  await objects.delete([manifest(3)]);
  const making = script.stall('putIfAbsent', manifest(3));
  const restoring = writer.durable.restoreManifest();
  await making.reached;
  const flushing = writer.flush();
  making.release();
  expect(await restoring).toBe(manifest(3));
  await flushing;
  await writer.collect();
  expect(await names(objects, 'manifest/')).toEqual([manifest(4)]);
  const next = await Writer.open(objects);
  await moveOn(next);
  expect(await writer.durable.restoreManifest()).toBeUndefined();
  expect(await names(objects, 'manifest/')).toEqual([manifest(next.durable.manifest.number)]);
  expect(next.payloads).toEqual(['a']);
});

test('G1: fences stay for ever, so that a commit of long ago stays out', async () => {
  const { objects, script, slow } = bucket();
  const former = await Writer.open(slow);
  const sending = script.stall('putIfAbsent', log(2));
  const commit = former.commit('late');
  await sending.reached;
  const leader = await Writer.open(objects);
  for (const payload of ['a', 'b']) await leader.commit(payload);
  await moveOn(leader);
  await moveOn(await Writer.open(objects));
  expect(await names(objects, 'wal/')).toEqual([log(1), log(2), log(5)]);
  sending.release();
  expect((await troubleOf(commit)).kind).toBe('fenced');
});

test('G1: groups that a former writer flushed and did not delete go; what is above the boundary stays', async () => {
  const { objects } = bucket();
  const former = await Writer.open(objects);
  await former.commit('a');
  await former.flush();
  await former.commit('b');
  const next = await Writer.open(objects);
  expect(await names(objects, 'wal/')).toEqual([log(1), log(2), log(3), log(4)]);
  await next.collect();
  expect(await names(objects, 'wal/')).toEqual([log(1), log(3), log(4)]);
  expect((await Writer.open(objects)).payloads).toEqual(['a', 'b']);
});

test('G2: pins are listed after the manifest that dropped a table is confirmed', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  await writer.flush();
  const [table] = await names(objects, 'sst/');
  const pin = `pin/${manifest(2).slice('manifest/'.length)}-${'0'.repeat(32)}`;
  const listing = script.stall('list', 'manifest/');
  const flush = writer.flush();
  await listing.reached;
  await objects.put(pin, new Uint8Array());
  listing.release();
  await flush;
  await writer.collect();
  expect(await names(objects, 'sst/')).toContain(table as string);
  expect(writer.durable.obsoleteTables.count).toBe(1);
  await objects.delete([pin]);
  await writer.collect();
  expect(await names(objects, 'sst/')).not.toContain(table as string);
});

test('G3: unnamed tables of earlier epochs are orphans, those of this one may be in the making', async () => {
  const { objects } = bucket();
  const former = await Writer.open(objects);
  await former.commit('a');
  await former.flush();
  const orphan = former.durable.tableName(90);
  await objects.put(orphan, new Uint8Array());
  const next = await Writer.open(objects);
  const unpublished = next.durable.tableName(91);
  await objects.put(unpublished, new Uint8Array());
  const orphans = await orphanTables(next.durable.obsoleteTables.collector, next.durable.manifest);
  expect(orphans).toEqual([{ name: orphan, bytes: 0 }]);
  await next.durable.collect(orphans);
  expect(await names(objects, 'sst/')).toHaveLength(2);
  expect(await names(objects, 'sst/')).toContain(unpublished);
});

test('P3: a listing that the bucket does not answer is asked for again, and the writer goes on', async () => {
  const objects = memoryStore();
  let silences = 0;
  const leader = await Writer.open(
    intercepted(objects, async ({ operation, name }, run) => {
      if (operation !== 'list' || name !== 'manifest/' || silences === 0) return run();
      silences--;
      throw new StorageError({ kind: 'unavailable', operation, object: name });
    }),
  );
  await leader.commit('a');
  silences = 5;
  await leader.flush();
  expect(silences).toBe(0);
  await leader.commit('b');
  expect((await Writer.open(objects)).payloads).toEqual(['a', 'b']);
});

test('a writer that looks whether it is fenced while it publishes does not take its own manifest for another one', async () => {
  const { objects, script, slow } = bucket();
  const writer = await Writer.open(slow);
  await writer.commit('a');
  const listing = script.stall('list', 'manifest/');
  const looking = writer.durable.fenced();
  await listing.reached;
  await writer.flush();
  listing.release();
  expect(await looking).toBeUndefined();
  await Writer.open(objects);
  expect((await writer.durable.fenced())?.fault.kind).toBe('fenced');
});
