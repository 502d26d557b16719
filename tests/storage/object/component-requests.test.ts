/** Requests are counted under the component that makes them and the part of the store that holds the object. */

import { expect, test } from 'bun:test';
import {
  componentStores,
  endedComponentRequests,
  joinRequests,
  requestsOfAll,
  storePartOf,
} from '../../../src/storage/object/component-requests.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import {
  bucketManifestName,
  bucketTableName,
  epochName,
  logObjectName,
  runtimeName,
  segmentName,
} from '../../../src/storage/object/names.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { bytes, objectStoreContract } from './contract.ts';

const open = () => componentStores(memoryStore(), manualWorld().clock);

objectStoreContract('of a component', async () => open().of('db'));

/** Requests of each class that has any, by component and part. */
function countsOf(requests: ReturnType<ReturnType<typeof open>['requests']>) {
  return Object.fromEntries(
    requests.map(({ component, store, counts }) => [
      `${component} ${store}`,
      Object.fromEntries(
        Object.entries(counts)
          .filter(([, { requests: some }]) => some > 0)
          .map(([kind, { requests: some, bytes: size }]) => [kind, [some, size]]),
      ),
    ]),
  );
}

test('only the log is in the log', () => {
  const names = [bucketManifestName(1), bucketTableName(1, 2, '00000000'), epochName(1)];
  expect([...names, runtimeName].map(storePartOf)).toEqual(['main', 'main', 'main', 'main']);
  expect([logObjectName(7), segmentName(1, 1), 'wal/'].map(storePartOf)).toEqual([
    'log',
    'log',
    'log',
  ]);
});

test('each component and part has counts of its own over the same objects', async () => {
  const stores = open();
  expect(stores.requests()).toEqual([]);
  const [db, gc] = [stores.of('db'), stores.of('gc')];
  await db.put('sst/a', bytes('12345'));
  await db.putIfAbsent('wal/1', bytes('123'));
  await db.putIfAbsent('wal/2', bytes('12'));
  const reader = await stores.of('compactor').openRead('sst/a', 5);
  await reader.readInto(0, new Uint8Array(4));
  expect((await gc.list('wal/')).length).toBe(2);
  await gc.list('manifest/');
  await gc.delete(['wal/1', 'sst/a', 'wal/2']);
  expect(await db.get('sst/a')).toBeUndefined();
  expect(countsOf(stores.requests())).toEqual({
    'db main': { read: [1, 0], write: [1, 5] },
    'db log': { write: [2, 5] },
    'gc main': { list: [1, 0], delete: [1, 0] },
    'gc log': { list: [1, 0], delete: [1, 0] },
    'compactor main': { range_read: [1, 4] },
    'compactor log': {},
  });
  expect(requestsOfAll(stores.requests())?.write).toMatchObject({ requests: 3, bytes: 10 });
  // Asked for again, a component goes on counting.
  await stores.of('db').put('sst/b', bytes('1'));
  expect(countsOf(stores.requests())['db main']).toEqual({ read: [1, 0], write: [2, 6] });
});

test('counts of several threads are joined by component and part', async () => {
  const [here, there] = [open(), open()];
  await here.of('db').put('sst/a', bytes('1'));
  await there.of('db').put('sst/b', bytes('22'));
  await there.of('compactor').put('sst/c', bytes('333'));
  const joined = joinRequests(here.requests(), endedComponentRequests(there.requests()));
  expect(countsOf(joined)).toEqual({
    'db main': { write: [2, 3] },
    'db log': {},
    'compactor main': { write: [1, 3] },
    'compactor log': {},
  });
});
