/** A disk that runs full: writes are refused and say why, reads go on, and nothing has to be started again once there is room. */

import { expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import type { DatabaseError } from '#failure';
import type { LsmStore } from '../../../src/storage/lsm-store.ts';
import { directoryPlace, type Place } from '../../../src/storage/manifest/place.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { openStoreIn } from '../../../src/storage/open.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { range, read, take, write } from '../transaction/support.ts';

const small = { memtableBytes: 20_000, tableBytes: 16_000, blockBytes: 1024 };
const segmentBytes = 64 << 10;
const filler = 'x'.repeat(500);

/** What is tried again after a while is tried at the end of the turn. */
function impatient(): World {
  const system = systemWorld();
  const after = (_: number, task: () => void) => {
    const timer = setImmediate(task);
    return { cancel: () => clearImmediate(timer) };
  };
  return { ...system, scheduler: { ...system.scheduler, after } };
}

async function open(directory: FaultyDirectory): Promise<LsmStore> {
  const world = impatient();
  await prepareTree(directory);
  const parts = directoryPlace(directory, world, segmentBytes);
  const place: Place = { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
  return openStoreIn(place, { storage: 'file', world, ...small });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes new keys until one is refused; how many were written. */
async function fillUp(store: LsmStore, from: number): Promise<[number, DatabaseError]> {
  for (let i = from; ; i++) {
    try {
      await write(store, { [`key ${i}`]: `${i}${filler}` });
    } catch (error) {
      return [i, error as DatabaseError];
    }
    await turn();
  }
}

test.each([300_000, 330_000, 360_000, 400_000, 470_000])(
  'with %p bytes of room',
  async (roomBytes) => {
    const directory = new FaultyDirectory(seededRandom(3), { roomBytes });
    const store = await open(directory);
    const [written, refusal] = await fillUp(store, 0);
    expect(refusal.failure).toMatchObject({ reason: 'overloaded', retryAfterSeconds: 1 });
    expect(refusal.failure.detail).toContain('no room left');
    expect(store.poisoned).toBeUndefined();
    // Reads show all that was acknowledged, and nobody waits for what was not.
    const snapshot = store.snapshot();
    expect((await take(snapshot.scan(range(''), 'forward'))).length).toBe(written);
    expect(store.durable(snapshot.sequence)).toBeUndefined();
    snapshot.release();
    // Somebody makes room: writes, flushes and merges go on.
    directory.room += 2_000_000;
    let [next] = [written];
    for (let tries = 0; next < written + 200; tries++) {
      expect(tries).toBeLessThan(500);
      await turn();
      await write(store, { [`key ${next}`]: `${next}${filler}` }).then(
        () => next++,
        () => {},
      );
    }
    await store.tidy();
    expect(store.statistics().memtables.count).toBe(1);
    expect(store.statistics().compaction.jobs).toBeGreaterThan(0);
    await store.close();
    const again = await open(directory.afterKill());
    expect((await take(again.snapshot().scan(range(''), 'forward'))).length).toBe(next);
    expect(await read(again.snapshot(), `key ${next - 1}`)).toBe(`${next - 1}${filler}`);
    await again.close();
  },
);
