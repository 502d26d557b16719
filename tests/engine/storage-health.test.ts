/** What a look at the storage means for the database, by what the store answers. */

import { expect, test } from 'bun:test';
import { StorageError, type StorageFault, type Store } from '#storage';
import { healthOf } from '../../src/engine/storage-health.ts';

const sound = {
  damaged: [{ table: 'sst/1', kind: 'missing', detail: '' }],
  threadsLost: 3,
  lockUnavailable: 'no flock',
};

function storeThat(observe: () => Promise<Error | undefined>): Store {
  const { threadsLost, ...rest } = sound;
  return { observe, statistics: () => ({ ...rest, compaction: { threadsLost } }) } as never;
}

const idle = { failure: undefined };

test('a store that answers is sound, with what is damaged in it', async () => {
  const health = await healthOf(
    storeThat(async () => undefined),
    idle,
  );
  expect(health).toEqual({ kind: 'ok', ...sound } as never);
});

test('a worker of transitions that has failed is told of as such, and the store is not asked', async () => {
  const failure = new Error('no step');
  const store = storeThat(async () => {
    throw new Error('asked');
  });
  const health = await healthOf(store, { failure });
  expect(health).toEqual({ kind: 'failed', error: failure, isWorker: true });
});

test('a look that is rejected may pass', async () => {
  const error = new Error('gone');
  const health = await healthOf(
    storeThat(() => Promise.reject(error)),
    idle,
  );
  expect(health).toEqual({ kind: 'unavailable', error });
});

test('troubles of the place need another opening; a fenced writer and damage never pass', async () => {
  const kinds: Readonly<Record<string, readonly StorageFault['kind'][]>> = {
    broken: ['io', 'full', 'unavailable', 'unauthorized', 'bucket_missing'],
    fenced: ['fenced'],
    failed: ['corrupt', 'missing', 'vanished', 'format'],
  };
  for (const [kind, troubles] of Object.entries(kinds)) {
    for (const trouble of troubles) {
      const error = new StorageError({ kind: trouble } as StorageFault);
      const health = await healthOf(
        storeThat(async () => error),
        idle,
      );
      expect(health).toEqual({ kind, error } as never);
    }
  }
  const other = new Error('a defect');
  const health = await healthOf(
    storeThat(async () => other),
    idle,
  );
  expect(health).toEqual({ kind: 'failed', error: other });
});
