/** An object cache under a store and a reader in a bucket: tables are fetched once for all lives of the process. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openReader, openStore, type ReadView, StorageError } from '#storage';
import { bytes } from '../storage/object/contract.ts';
import { startFakeServer } from './fake-server.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-object-cache-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const count = 300;
const everything = { from: new Uint8Array(), to: undefined };

async function countEntries(view: ReadView): Promise<number> {
  const cursor = view.scan(everything, 'forward');
  let entries = 0;
  for (;;) {
    const moved = cursor.next();
    if (moved instanceof Promise) await moved;
    else if (!moved) break;
    else entries++;
  }
  cursor.close();
  return entries;
}

const partBytes = 16 << 10;

/** Parts are written behind the reads that fetched them. */
async function partsWritten(directory: string, parts: number): Promise<void> {
  const scope = readdirSync(directory).find((name) => name.startsWith('parts-')) as string;
  const written = () =>
    readdirSync(join(directory, scope)).filter((name) => !name.startsWith('tmp-')).length;
  while (written() < parts) await systemWorld().scheduler.yield();
}

test('a table is fetched once, by a store and by a reader, each with a directory of its own', async () => {
  await using server = await startFakeServer();
  const options = (objectCachePath: string) => ({
    storage: 's3' as const,
    s3: {
      bucket: 'bucket',
      prefix: 'a',
      region: 'nowhere-1',
      endpoint: server.endpoint,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    world: systemWorld(),
    objectCachePath,
    objectCachePartBytes: partBytes,
    flushIntervalMs: 1,
  });
  const tableReads = () => server.requests.filter((request) => /^GET .*sst/.test(request)).length;
  const mine = join(root, 'store');

  const store = await openStore(options(mine));
  const transaction = store.begin();
  for (let i = 0; i < count; i++) transaction.put(bytes(`key ${i}`), new Uint8Array(300).fill(i));
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
  await store.tidy();
  const parts = store
    .statistics()
    .runs.reduce((sum, run) => sum + Math.ceil(run.bytes / partBytes), 0);
  expect(parts).toBeGreaterThan(3);

  const refused = await openStore(options(mine)).catch((error) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect((refused as StorageError).fault).toMatchObject({ kind: 'locked', path: mine });
  await store.close();

  for (const [open, directory] of [
    [openStore, mine],
    [openReader, join(root, 'reader')],
  ] as const) {
    for (const fetches of [true, false]) {
      const opened = await open(options(directory));
      const view = opened.snapshot();
      const reads = tableReads();
      expect(await countEntries(view)).toBe(count);
      expect(tableReads() - reads > 0).toBe(fetches);
      await partsWritten(directory, parts);
      view.release();
      await opened.close();
    }
  }
});
