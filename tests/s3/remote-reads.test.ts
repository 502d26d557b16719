/** Tables of a store in a bucket are remote, for its writer and for readers, until they are in memory or on the local disk. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openReader, openStore } from '#storage';
import { read, write } from '../storage/transaction/support.ts';
import { startFakeServer } from './fake-server.ts';

const everything = { from: new Uint8Array(), to: undefined };

test('a flushed table is remote', async () => {
  const objectCachePath = mkdtempSync(join(tmpdir(), 'svc-remote-'));
  await using server = await startFakeServer();
  const s3 = {
    bucket: 'bucket',
    prefix: 'a',
    region: 'nowhere-1',
    endpoint: server.endpoint,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  };
  const options = { storage: 's3' as const, s3, world: systemWorld() };
  const writer = await openStore({ ...options, flushIntervalMs: 1 });
  await write(writer, { a: '1', b: '2' });
  await writer.tidy();
  expect(writer.remoteReads(everything)).toMatchObject({ pieces: 1, cold: 1 });
  expect(await read(writer.snapshot(), 'a')).toBe('1');
  expect(writer.remoteReads(everything)).toMatchObject({ pieces: 1, cold: 0 });

  const reader = await openReader({ ...options, objectCachePath });
  expect(reader.remoteReads(everything)).toMatchObject({ pieces: 1, cold: 1, micros: 32_768 });
  expect(await read(reader.snapshot(), 'b')).toBe('2');
  expect(reader.remoteReads(everything)).toMatchObject({ pieces: 1, cold: 0 });
  await reader.close();
  await writer.close();
  rmSync(objectCachePath, { recursive: true });
});
