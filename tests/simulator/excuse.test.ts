/** The oracle excuses what has a reason, and nothing else. */

import { expect, test } from 'bun:test';
import { StorageError, type StorageFault } from '#storage';
import { s3Store } from '../../src/storage/object/s3/s3-store.ts';
import { address } from './bucket/medium.ts';
import { transportOf } from './bucket/network.ts';
import { BucketObjects } from './bucket/objects.ts';
import { Dice } from './dice.ts';
import { excuse } from './excuse.ts';
import { Faults } from './faults.ts';
import { Life } from './life.ts';
import { Scheduler } from './scheduler.ts';
import { simulatedWorld } from './sim-world.ts';

const unavailable: StorageFault = { kind: 'unavailable', operation: 'read', object: 'a' };

function isExcused(trouble: StorageFault, life: Life): boolean {
  try {
    excuse(new StorageError(trouble), { life, hasRoom: true });
    return true;
  } catch {
    return false;
  }
}

/** Reads an object that is there, `times` one after the other; the answer to attempt `n` takes `latenciesMs[n]`, and no time after these. */
function read(latenciesMs: readonly number[], befall: (life: Life) => void = () => {}, times = 1) {
  const dice = new Dice(1);
  const scheduler = new Scheduler(dice);
  const life = new Life('A');
  const bucket = new BucketObjects(10);
  bucket.objects.set('a', new Uint8Array([1, 2, 3]));
  // One for the way there, one for the way back.
  const latencies = latenciesMs.flatMap((ms) => [0, ms]).values();
  const latencyMs = (): number => latencies.next().value ?? 0;
  const faults = new Faults(dice, 0);
  const parts = { bucket, life, scheduler, faults, dice, latencyMs, created: () => {} };
  const world = simulatedWorld(scheduler, life, dice, 0);
  const objects = s3Store({ ...address, world, transport: transportOf(parts) });
  let outcome: unknown;
  const readAll = async () => {
    for (let turn = 0; turn < times; turn++) outcome = await objects.get('a');
  };
  void readAll().catch((error: unknown) => {
    outcome = error;
  });
  scheduler.settle();
  befall(life);
  while (scheduler.step());
  return { life, outcome };
}

const lateMs = 6_000;

test('a bucket is unavailable when every attempt of a request got its answer too late', () => {
  const { life, outcome } = read([lateMs, lateMs, lateMs, lateMs]);
  expect((outcome as StorageError).fault.kind).toBe('unavailable');
  expect(isExcused(unavailable, life)).toBeTrue();
  // Nothing was damaged, refused or taken over.
  expect(isExcused({ kind: 'io', operation: 'read', object: 'a' }, life)).toBeFalse();
});

test('it is not while one attempt is answered in time', () => {
  const { life, outcome } = read([lateMs, lateMs, lateMs]);
  expect(outcome).toEqual(new Uint8Array([1, 2, 3]));
  expect(isExcused(unavailable, life)).toBeFalse();
});

test('attempts of two requests for one object are not counted together', () => {
  const late = [lateMs, lateMs, lateMs];
  const { life, outcome } = read([...late, 0, ...late], () => {}, 2);
  expect(outcome).toEqual(new Uint8Array([1, 2, 3]));
  expect(isExcused(unavailable, life)).toBeFalse();
});

test('a pause costs one attempt, and other faults none', () => {
  const { life, outcome } = read([], (paused) => {
    paused.pause(100_000);
    paused.faults = 10;
  });
  expect(outcome).toEqual(new Uint8Array([1, 2, 3]));
  expect(isExcused(unavailable, life)).toBeFalse();
});

test('a claim that is missing is no fault of a life that nobody has replaced', () => {
  const life = new Life('A');
  life.faults = 10;
  const vanished: StorageFault = { kind: 'vanished', object: 'epoch/1', evidence: '', lost: '' };
  expect(isExcused(vanished, life)).toBeFalse();
  life.isReplaced = true;
  expect(isExcused(vanished, life)).toBeTrue();
});
