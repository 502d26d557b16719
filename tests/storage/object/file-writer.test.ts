/** Objects that are written as they grow: whole under their name or not there at all. */

import { expect, test } from 'bun:test';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import type { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore, ObjectWriter } from '../../../src/storage/object/store.ts';
import { type Faults, FaultyDirectory } from './faulty-directory.ts';
import { seededRandom, seededWorld } from './seeded-world.ts';

const partBytes = 100_000;
const parts = Array.from({ length: 75 }, (_, i) => new Uint8Array(partBytes).fill(i + 1));
const whole = new Uint8Array(Buffer.concat(parts));

async function openStore(faults: Faults = {}) {
  const io = new FaultyDirectory(seededRandom(1), faults);
  await prepareTree(io);
  const store = fileStore(io, seededWorld(1).random);
  return { io, store, writer: begin(store) };
}

function begin(store: ObjectStore): ObjectWriter {
  if (store.create === undefined) throw new Error('a file store writes bit by bit');
  return store.create('sst/a');
}

/** Returns how often it was asked to wait. */
async function writeAll(writer: ObjectWriter): Promise<number> {
  let waits = 0;
  for (const part of parts) {
    const wait = writer.write(part.slice());
    if (wait === undefined) continue;
    waits++;
    await wait;
  }
  return waits;
}

test('an object appears when it is finished', async () => {
  const { io, store, writer } = await openStore();
  // Of seven writes, four may be under way.
  expect(await writeAll(writer)).toBeGreaterThan(0);
  expect(store.head('sst/a')).toBeUndefined();
  await writer.finish();
  expect(await store.get('sst/a')).toEqual(whole);
  expect(io.entries('tmp')).toEqual([]);
});

test('parts that nobody waits for keep their order', async () => {
  const { store, writer } = await openStore();
  for (const part of parts) void writer.write(part);
  await writer.finish();
  expect(await store.get('sst/a')).toEqual(whole);
});

test('nothing is left of what was given up', async () => {
  const { io, store, writer } = await openStore();
  for (const part of parts) void writer.write(part);
  writer.discard();
  while (io.entries('tmp').length > 0) await new Promise(setImmediate);
  expect(store.head('sst/a')).toBeUndefined();
});

test('the file of what was given up is closed in the background, once its writes have ended', async () => {
  const io = new FaultyDirectory(seededRandom(1));
  await prepareTree(io);
  const events: string[] = [];
  const open = io.open.bind(io);
  io.open = (path, mode) => {
    const file = open(path, mode);
    return (
      file && {
        ...file,
        write: (source, position) =>
          file.write(source, position).finally(() => events.push('written')),
        close: () => events.push('closed'),
        discard: (closed) => {
          events.push('discarded');
          closed();
        },
      }
    );
  };
  io.unlink = () => {
    throw new Error('frees space on this thread');
  };
  io.remove = async () => events.push('removed') > 0;
  const writer = begin(fileStore(io, seededWorld(1).random));
  for (const part of parts.slice(0, 11)) void writer.write(part);
  writer.discard();
  while (events.length < 3) await new Promise(setImmediate);
  expect(events.toSorted()).toEqual(['discarded', 'removed', 'written']);
  expect(events.at(-1)).toBe('discarded');
});

test('a full disk is reported by the write and by the end, and leaves nothing', async () => {
  const { io, store, writer } = await openStore({ roomBytes: 2_500_000 });
  const trouble = { kind: 'full', operation: 'write', object: 'sst/a' };
  const failed = (await writeAll(writer).catch((error) => error)) as StorageError;
  expect(failed.fault).toEqual(trouble as StorageError['fault']);
  const end = (await writer.finish().catch((error) => error)) as StorageError;
  expect(end.fault).toEqual(trouble as StorageError['fault']);
  expect(io.entries('tmp')).toEqual([]);
  expect(store.head('sst/a')).toBeUndefined();
});

test('a power failure at any effect leaves all of it or no name', async () => {
  let crashes = 0;
  for (let powerLossAt = 1; ; powerLossAt++) {
    const io = new FaultyDirectory(seededRandom(powerLossAt), { powerLossAt });
    let isReported = false;
    try {
      await prepareTree(io);
      const writer = begin(fileStore(io, seededWorld(1).random));
      await writeAll(writer);
      await writer.finish();
      isReported = true;
    } catch {}
    const after = io.afterPowerLoss();
    await prepareTree(after);
    const found = await fileStore(after, seededWorld(2).random).get('sst/a');
    if (isReported) expect(found).toBeDefined();
    if (found !== undefined) expect(found).toEqual(whole);
    if (!io.hasLostPower) break;
    crashes++;
  }
  expect(crashes).toBeGreaterThan(10);
});
