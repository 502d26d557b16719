/** A store in a real directory, opened again and again, and the refusal of a second one. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { memoryLocation, openDirectoryLocation } from '../../../src/storage/place/location.ts';
import { openAndRead } from './lineage.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-place-'));
afterAll(() => rmSync(root, { recursive: true }));

const identity = { pid: 1, hostname: 'here', startedUnixMs: 0 };
const open = (path: string) => openDirectoryLocation({ path, world: systemWorld(), identity });

test('what one process wrote, the next one reads', async () => {
  const path = join(root, 'deep', 'store');
  for (let life = 0; life < 4; life++) {
    const place = await open(path);
    const { durable, payloads } = await openAndRead(place, life);
    expect(payloads).toEqual(Array.from({ length: life }, (_, i) => `life ${i}`));
    expect(durable.epoch).toBe(life + 1);
    await durable.log.durable(durable.log.append([Buffer.from(`life ${life}`)]));
    await durable.collect([]);
    await durable.close();
    place.close();
  }
  expect(readdirSync(join(path, 'manifest'))).toEqual(['0000000004-0000000002']);
  expect(readdirSync(join(path, 'epoch'))).toHaveLength(4);
  expect(readdirSync(join(path, 'wal'))).toHaveLength(4);
});

test('a first record that needs a larger segment leaves an empty one, of which nothing is missed after a close', async () => {
  const path = join(root, 'large');
  const large = 'x'.repeat(2 << 20);
  for (let life = 0; life < 3; life++) {
    const place = await open(path);
    const { durable, payloads } = await openAndRead(place, life);
    expect(payloads.map((each) => each.length)).toEqual(Array(life).fill(large.length));
    await durable.log.durable(durable.log.append([Buffer.from(large)]));
    await durable.close();
    place.close();
  }
});

test('a second server is refused', async () => {
  const path = join(root, 'shared');
  const place = await open(path);
  const refused = await open(path).catch((error) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused.fault).toMatchObject({ kind: 'locked', holder: identity });
  place.close();
  (await open(path)).close();
});

test('a path that is no directory is a typed error', async () => {
  const path = join(root, 'file');
  writeFileSync(path, '');
  const refused = await open(path).catch((error) => error);
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused.fault).toMatchObject({ kind: 'io', object: path });
});

test('a place in memory can be opened again', async () => {
  const place = memoryLocation();
  for (let life = 0; life < 3; life++) {
    const { durable, payloads } = await openAndRead(place, life);
    expect(payloads).toHaveLength(life);
    durable.log.append([Buffer.from('x')]);
    await durable.close();
  }
});
