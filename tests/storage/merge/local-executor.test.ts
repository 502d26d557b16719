/** Merges on the thread of the store: how long their slices are, by a clock that each entry and each turn of others advance. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import { storeLimits } from '../../../src/storage/contract/limits.ts';
import type { InternalCursor } from '../../../src/storage/cursor/internal-cursor.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { LocalExecutor } from '../../../src/storage/merge/local-executor.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { tableDefaults } from '../../../src/storage/table/table-options.ts';
import { entryOf } from '../files.ts';

const entries = 60_000;
const entryMs = 0.01;

/** Each entry takes its time. */
function sourceOf(taken: () => void): CursorSource {
  const cursor = (): InternalCursor => {
    let at = 0;
    const entry = entryOf({ key: new Uint8Array(4), value: new Uint8Array(1), sequence: 1 });
    entry.next = () => {
      taken();
      new DataView(entry.key.buffer).setUint32(0, at);
      return at++ < entries;
    };
    return entry;
  };
  return { versions: cursor } as unknown as CursorSource;
}

/** How long each slice of a merge was beside others that take `othersMs` of a turn. */
async function slicesBeside(othersMs: (turn: number) => number): Promise<readonly number[]> {
  let now = 0;
  let sliceFrom = 0;
  const slices: number[] = [];
  const turn = async () => {
    now += othersMs(slices.push(now - sliceFrom) - 1);
    sliceFrom = now;
  };
  const clock = { unixMs: () => 0, monotonicMs: () => now };
  const world = { clock, scheduler: { yield: turn } } as unknown as World;
  const objects = { put: async () => {} } as unknown as ObjectStore;
  const site = new LocalExecutor({ world, objectsOf: () => objects, codecs: tableDefaults.codecs });
  const component = 'db' as const;
  const shape = {
    component,
    inputs: [],
    isBottom: true,
    isUrgent: true,
    snapshots: [],
    dropped: [],
  };
  const size = { stopAfterBytes: undefined, tableBytes: Infinity, table: tableDefaults };
  const range = { from: new Uint8Array(), to: undefined };
  const source = sourceOf(() => {
    now += entryMs;
  });
  await site.merge(
    { ...shape, ...size, range },
    { sources: [source], nextName: () => 'sst/0000000001-0000000001' },
  );
  return slices;
}

/** A slice looks at the clock once in 256 entries. */
const lookMs = 256 * entryMs;
const sum = (slices: readonly number[]) => slices.reduce((all, ms) => all + ms, 0);

test('a merge beside long turns of others does not make them twice as long', async () => {
  const slices = await slicesBeside(() => 60);
  expect(Math.max(...slices)).toBeLessThan(storeLimits.sliceMsMax + 2 * lookMs);
});

test('what one long turn took comes back to the merge over the next ones, in which others take little', async () => {
  const slices = await slicesBeside((turn) => (turn === 10 ? 60 : 1));
  const before = slices.slice(1, 10);
  const behind = slices.slice(11, 20);
  expect(Math.max(...slices)).toBeLessThan(storeLimits.sliceMsMax + 2 * lookMs);
  expect(sum(behind) - sum(before)).toBeGreaterThan(40);
  // And no more than that.
  expect(sum(slices.slice(11, 30)) - sum(slices.slice(0, 10)) * 2).toBeLessThan(65);
});

test('what is owed to a merge has a limit', async () => {
  const slices = await slicesBeside((turn) => (turn < 20 ? 60 : 1));
  const behind = slices.slice(20, 60);
  const first = behind.findIndex((ms) => ms < storeLimits.sliceMsMax);
  expect(first).toBeGreaterThan(5);
  expect(sum(behind.slice(0, first))).toBeLessThan(storeLimits.owedMsMax * 2);
});
