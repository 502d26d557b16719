/** Reading the log of a bucket ahead: a few objects and bytes at a time, and what is not there is asked for in its turn. */

import { expect, test } from 'bun:test';
import { LogPrefetch } from '../../../src/storage/bucket/log-prefetch.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { logObjectName } from '../../../src/storage/object/names.ts';
import { intercepted } from './intercepted.ts';

async function filled(count: number, bytes: number) {
  const objects = memoryStore();
  for (let id = 1; id <= count; id++) {
    await objects.put(logObjectName(id), new Uint8Array(bytes).fill(id));
  }
  const got: string[] = [];
  const watched = intercepted(objects, (call, run) => {
    if (call.operation === 'get') got.push(call.name);
    return run();
  });
  return { objects, watched, got };
}

test('objects after the boundary come in order, each asked for once, sixteen ahead', async () => {
  const { watched, got } = await filled(40, 10);
  const prefetch = await LogPrefetch.start(watched, 2);
  for (let id = 3; id <= 40; id++) {
    expect((await prefetch.get(id))?.[0]).toBe(id);
    expect(got.length).toBe(Math.min(38, id - 3 + 16));
  }
  expect(new Set(got).size).toBe(38);
});

test('large objects are not gathered', async () => {
  const { watched, got } = await filled(12, 9 << 20);
  const prefetch = await LogPrefetch.start(watched, 0);
  await prefetch.get(1);
  expect(got.length).toBe(4);
});

test('what came after the listing, or never, is asked for in its turn', async () => {
  const { objects, watched } = await filled(2, 10);
  const prefetch = await LogPrefetch.start(watched, 0);
  await objects.put(logObjectName(3), new Uint8Array([7]));
  for (const id of [1, 2]) await prefetch.get(id);
  expect(await prefetch.get(3)).toEqual(new Uint8Array([7]));
  expect(await prefetch.get(4)).toBeUndefined();
});
