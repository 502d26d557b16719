/** Temporary objects over a spill space: whole once they are finished, gone with their space once they are deleted. */

import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openSpillSpace } from '#storage';
import type { ObjectReader, ObjectWriter } from '../../../src/storage/object/store.ts';
import { spilledObjects } from '../../../src/storage/spill/spilled-objects.ts';

test('an object is read as it was written, and its space is free once it is deleted', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-spilled-'));
  const space = openSpillSpace(path, systemWorld().random, { limitBytes: 1000 });
  const objects = spilledObjects(() => space);
  const writer = objects.create?.('tmp/a') as ObjectWriter;
  writer.write(Uint8Array.of(1, 2, 3));
  writer.write(Uint8Array.of(4, 5));
  await writer.finish();
  await objects.put('tmp/b', Uint8Array.of(9));
  const reader = (await objects.openRead('tmp/a')) as ObjectReader;
  const target = new Uint8Array(4);
  expect(await reader.readInto(2, target)).toBe(3);
  expect([...target]).toEqual([3, 4, 5, 0]);
  expect(reader.bytes).toBe(5);
  expect(readdirSync(path)).toEqual([]);
  expect(space.usedBytes).toBe(6);
  await objects.delete(['tmp/a', 'tmp/b', 'tmp/c']);
  while (space.files > 0) await new Promise(setImmediate);
  expect(space.usedBytes).toBe(0);
  rmSync(path, { recursive: true });
});

test('a discarded object leaves nothing, and without a space or room there is none', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-spilled-'));
  const space = openSpillSpace(path, systemWorld().random, { limitBytes: 4 });
  const objects = spilledObjects(() => space);
  const writer = objects.create?.('tmp/a') as ObjectWriter;
  expect(() => writer.write(new Uint8Array(5))).toThrow('no space left');
  writer.discard();
  while (space.files > 0) await new Promise(setImmediate);
  expect(space.files).toBe(0);
  expect(() => spilledObjects(() => undefined).create?.('tmp/a')).toThrow('no space left');
  rmSync(path, { recursive: true });
});
