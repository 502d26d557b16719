/** A store whose close has begun takes nothing new, and finishes the commits that it has taken. */

import { expect, test } from 'bun:test';
import type { DatabaseError } from '#failure';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import type { LogDevice } from '../../../src/storage/log/log.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { memoryLocation } from '../../../src/storage/place/location.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { bytes, read, write } from '../transaction/support.ts';

const filler = 'x'.repeat(100);

async function opened() {
  const place = memoryLocation();
  const options = { storage: 'memory', world: manualWorld() } as const;
  return { place, options, store: await openStoreIn(place, options) };
}

test('a commit after the close has begun is refused, and writes nothing', async () => {
  const { place, options, store } = await opened();
  await write(store, { a: '1' });
  const closing = store.close();
  for (const until of [undefined, closing]) {
    await until;
    const refusal = await write(store, { a: '2' }).catch((error: unknown) => error);
    expect((refusal as DatabaseError).failure).toMatchObject({
      reason: 'storage_unavailable',
      detail: 'the store is closed',
    });
  }
  expect(store.close()).toBe(closing);
  const again = await openStoreIn(place, options);
  expect(await read(again.snapshot(), 'a')).toBe('1');
  await again.close();
});

test('a commit that has been taken when the close begins is whole before the store is closed', async () => {
  const { place, options, store } = await opened();
  const transaction = store.begin();
  for (let i = 0; i < 5_000; i++) transaction.put(bytes(`key ${i}`), bytes(filler));
  const steps: string[] = [];
  let closing = Promise.resolve();
  const closes = () => {
    closing = store.close().then(() => void steps.push('closed'));
    return true;
  };
  const { kind } = await transaction.commit({ validate: closes });
  steps.push(kind);
  await closing;
  transaction.release();
  expect(steps).toEqual(['committed', 'closed']);
  const again = await openStoreIn(place, options);
  for (const i of [0, 4_999]) expect(await read(again.snapshot(), `key ${i}`)).toBe(filler);
  await again.close();
});

test('a start that cannot publish its manifest closes the log that it has begun', async () => {
  const place = memoryLocation();
  let open = 0;
  const start: LogDevice['start'] = async (...given) => {
    const log = await place.logs.start(...given);
    open++;
    const close = async () => {
      open--;
      await log.close();
    };
    return Object.create(log, { close: { value: close } });
  };
  const putIfAbsent: ObjectStore['putIfAbsent'] = async (name, body) => {
    if (name.startsWith('manifest/')) throw new Error('the device is gone');
    return place.objects.putIfAbsent(name, body);
  };
  const objects = { ...place.objects, putIfAbsent };
  const logs = { ...place.logs, recover: place.logs.recover.bind(place.logs), start };
  const opening = openStoreIn(
    { ...place, objects, logs },
    { storage: 'memory', world: manualWorld() },
  );
  expect(await outcomeOf(opening)).toThrow('the log');
  expect(open).toBe(0);
});
