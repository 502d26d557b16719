/** The collector counts what it lists and deletes, what failed, and how long garbage has waited. */

import { expect, test } from 'bun:test';
import { GarbageCollector } from '../../../src/storage/object/garbage-collector.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { rejection } from '../../support/outcome.ts';
import { bytes } from './contract.ts';

const none = { listed: 0, deleted: 0, deletedBytes: 0, listErrors: 0, deleteErrors: 0 };
const nothingWaits = { count: 0, oldestSinceMs: undefined };

function open() {
  const { clock, advance } = manualWorld();
  let isRefusing = false;
  const plain = memoryStore();
  const deletions: (readonly string[])[] = [];
  const answer = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isRefusing) throw new Error('refused');
    return work();
  };
  const objects = {
    ...plain,
    list: (prefix: string) => answer(() => plain.list(prefix)),
    delete: (names: readonly string[]) => {
      deletions.push(names);
      return answer(() => plain.delete(names));
    },
  };
  const collector = new GarbageCollector(objects, clock);
  return {
    clock,
    collector,
    objects: plain,
    deletions,
    advance,
    refuse: (refuses: boolean) => {
      isRefusing = refuses;
    },
  };
}

test('objects and bytes are counted by part of the store; each part is one deletion', async () => {
  const { collector, objects, deletions } = open();
  for (const name of ['sst/a', 'sst/b', 'wal/1', 'wal/2']) await objects.put(name, bytes('12345'));
  expect((await collector.list('sst/')).length).toBe(2);
  expect((await collector.list('wal/')).length).toBe(2);
  const garbage = ['sst/a', 'wal/1', 'wal/2'].map((name) => ({ name, bytes: 5 }));
  await collector.delete(garbage);
  expect(deletions).toEqual([['sst/a'], ['wal/1', 'wal/2']]);
  expect(await objects.list('')).toEqual([{ name: 'sst/b', bytes: 5 }]);
  expect(collector.statistics(nothingWaits).parts).toEqual({
    main: { ...none, listed: 2, deleted: 1, deletedBytes: 5 },
    log: { ...none, listed: 2, deleted: 2, deletedBytes: 10 },
  });
});

test('a size that is not known is asked for, and what is absent is deleted without being counted', async () => {
  const { collector, objects, deletions } = open();
  await objects.put('sst/a', bytes('123'));
  await collector.delete(['sst/a', 'sst/never'].map((name) => ({ name, bytes: undefined })));
  // It may be on its way there.
  expect(deletions).toEqual([['sst/a', 'sst/never']]);
  const { main } = collector.statistics(nothingWaits).parts;
  expect(main).toEqual({ ...none, deleted: 1, deletedBytes: 3 });
});

test('what is refused is counted as an error, and nothing as deleted', async () => {
  const { collector, objects, refuse } = open();
  await objects.put('wal/1', bytes('123'));
  refuse(true);
  await rejection(collector.list('sst/'));
  await rejection(collector.delete([{ name: 'wal/1', bytes: 3 }]));
  await rejection(
    collector.removeSegments((removed) => {
      removed(7);
      throw new Error('the second one cannot be removed');
    }),
  );
  expect(collector.statistics(nothingWaits).parts).toEqual({
    main: { ...none, listErrors: 1 },
    log: { ...none, deleteErrors: 2, deleted: 1, deletedBytes: 7 },
  });
});

test('garbage has waited since the first of the sweeps that keep failing, until one succeeds', async () => {
  const { collector, objects, refuse, advance } = open();
  await objects.put('sst/a', bytes('1'));
  const sweep = () => collector.sweep(() => collector.delete([{ name: 'sst/a', bytes: 1 }]));
  const facts = () => {
    const { runs, failedRuns, oldestAgeMs } = collector.statistics(nothingWaits);
    return { runs, failedRuns, oldestAgeMs };
  };
  expect(facts()).toEqual({ runs: 0, failedRuns: 0, oldestAgeMs: 0 });
  refuse(true);
  await rejection(sweep());
  advance(1000);
  await rejection(sweep());
  advance(500);
  expect(facts()).toEqual({ runs: 0, failedRuns: 2, oldestAgeMs: 1500 });
  refuse(false);
  await sweep();
  advance(500);
  expect(facts()).toEqual({ runs: 1, failedRuns: 2, oldestAgeMs: 0 });
});

test('the age is that of the oldest of what waits for readers and what sweeps left', async () => {
  const { clock, collector, refuse, advance } = open();
  const beganMs = clock.monotonicMs();
  advance(100);
  refuse(true);
  await rejection(collector.sweep(async () => void (await collector.list('pin/'))));
  advance(50);
  const ageWith = (oldestSinceMs: number) =>
    collector.statistics({ count: 1, oldestSinceMs }).oldestAgeMs;
  expect(collector.statistics(nothingWaits).oldestAgeMs).toBe(50);
  expect(ageWith(beganMs)).toBe(150);
  expect(ageWith(beganMs + 140)).toBe(50);
});
