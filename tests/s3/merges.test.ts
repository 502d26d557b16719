/** Tables in a bucket are merged on another thread, which reads and writes the bucket by itself. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { range, take, write } from '../storage/transaction/support.ts';
import { startFakeServer } from './fake-server.ts';

test('tables in a bucket are merged on another thread', async () => {
  const server = await startFakeServer();
  const s3 = {
    bucket: 'bucket',
    prefix: '',
    region: 'nowhere-1',
    endpoint: server.endpoint,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    // Of no use to another thread, and no harm.
    world: systemWorld(),
  };
  const small = { memtableBytes: 4000, tableBytes: 20_000, blockBytes: 1024, flushIntervalMs: 1 };
  const store = await openStore({ storage: 's3', s3, world: systemWorld(), ...small });
  for (let i = 0; i < 12; i++) {
    const rows = Array.from({ length: 40 }, (_, k) => [
      `key ${(k + 7 * i) % 100}`,
      `${i} `.repeat(20),
    ]);
    await write(store, Object.fromEntries(rows));
  }
  const readBefore = store.statistics().objects?.range_read.bytes;
  await store.tidy();
  const { compaction, objects, mergeObjects, runs } = store.statistics();
  expect(compaction.jobs).toBeGreaterThan(0);
  expect(compaction.threadsLost).toBe(0);
  // The inputs were not read by this thread.
  expect(objects?.range_read.bytes).toBe(readBefore as number);
  // It says what it has asked for.
  const { outputBytes } = compaction;
  expect(mergeObjects?.range_read.bytes).toBeGreaterThan(outputBytes);
  expect(mergeObjects?.write).toMatchObject({ bytes: outputBytes, errors: 0, active: 0 });
  expect(mergeObjects?.write.requests).toBeGreaterThanOrEqual(compaction.jobs);
  const { requests } = store.statistics();
  const of = (component: string, part: string) =>
    requests?.find((one) => one.component === component && one.store === part)?.counts;
  // Nobody but the compactor has asked for tables on the other thread, and it wrote nothing else.
  expect(of('compactor', 'main')).toEqual(mergeObjects);
  expect(of('compactor', 'log')?.write.requests).toBe(0);
  // Small memtables are flushed on this thread: those tables are the database's.
  const { flushedBytes } = store.statistics().flush;
  expect(of('db', 'main')?.write.bytes).toBeGreaterThan(flushedBytes);
  expect(of('db', 'log')?.write.bytes).toBeGreaterThanOrEqual(store.statistics().log.writtenBytes);
  expect(runs.map((run) => run.entries)).toEqual([100]);
  expect((await take(store.snapshot().scan(range(''), 'forward'))).length).toBe(100);
  await store.close();
  await server.stop();
});
