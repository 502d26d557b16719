/** The store on a bucket: what one process wrote, the next one reads; what is in tables leaves the log. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { bucketPlace } from '../../../src/storage/manifest/place.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { openStoreIn } from '../../../src/storage/open.ts';
import { read, write } from '../transaction/support.ts';

const small = { memtableBytes: 4_000, tableBytes: 8_000, blockBytes: 1024 };

test('life after life', async () => {
  const objects = memoryStore();
  const names = async (prefix: string) => (await objects.list(prefix)).map(({ name }) => name);
  for (let life = 0; life < 4; life++) {
    const place = bucketPlace(objects, 0);
    const store = await openStoreIn(place, { storage: 'memory', world: systemWorld(), ...small });
    for (let i = 0; i < life * 40; i++) {
      expect(await read(store.snapshot(), `key ${i}`)).toBe(`${i}`.repeat(30));
    }
    for (let i = life * 40; i < life * 40 + 40; i++) {
      await write(store, { [`key ${i}`]: `${i}`.repeat(30) });
    }
    await store.idle();
    await store.close();
  }
  expect(await names('manifest/')).toHaveLength(1);
  const tables = await names('sst/');
  expect(tables.length).toBeLessThan(8);
  expect(tables[0]).toMatch(/^sst\/\d{10}-\d{10}-[0-9a-f]{8}$/);
  expect((await names('wal/')).length).toBeLessThan(4 * 41);
});
