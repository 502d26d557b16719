/** Two and three writers on one bucket, over a bad network: nothing acknowledged is lost, nothing is there twice, the loser learns that it lost. */

import { expect, test } from 'bun:test';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { FaultyBucket } from './faulty-bucket.ts';
import { Writer } from './writer.ts';

interface Life {
  readonly acknowledged: string[];
  readonly ended: Promise<unknown>;
}

/** Opens, then commits, publishes and collects, until it is fenced or has done its steps. */
function live(bucket: FaultyBucket, name: string, unit: () => number, steps: number): Life {
  const acknowledged: string[] = [];
  const work = async (): Promise<void> => {
    const writer = await Writer.open(bucket.connect());
    const commits: Promise<unknown>[] = [];
    for (let step = 0; step < steps; step++) {
      const payload = `${name}-${step}`;
      const commit = writer.commit(payload).then(() => acknowledged.push(payload));
      commits.push(commit);
      commit.catch(() => {});
      if (unit() < 0.7) await commit;
      // A failure to delete is no harm.
      if (unit() < 0.2) await writer.collect().catch(unlessUnavailable);
      if (unit() < 0.3) await writer.flush();
    }
    await Promise.all(commits);
    await writer.durable.close();
  };
  return { acknowledged, ended: work().catch((error) => error) };
}

function unlessUnavailable(error: unknown): void {
  if (!isTrouble(error, 'unavailable')) throw error;
}

const isTrouble = (error: unknown, kind: string): boolean =>
  error instanceof StorageError && error.fault.kind === kind;

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets `count` writers loose on a new bucket and checks what is left; counts what happened. */
async function struggle(seed: number, count: number, totals: Record<string, number>) {
  const unit = seededRandom(seed);
  const objects = memoryStore();
  const bucket = new FaultyBucket(objects, unit, {
    faults: unit() * 0.3,
    turnsMax: 1 + unit() * 20,
  });
  const lives: Life[] = [];
  for (let i = 0; i < count; i++) {
    lives.push(live(bucket, `${seed}:${i}`, unit, 25));
    await turns(Math.floor(unit() * 100));
  }
  const add = (what: string, more: number) => {
    totals[what] = (totals[what] ?? 0) + more;
  };
  for (const { ended } of lives) {
    const error = await ended;
    if (error === undefined) continue;
    // An opening that only meets silence gives up; who has opened goes on until it knows.
    if (!isTrouble(error, 'fenced') && !isTrouble(error, 'unavailable')) throw error;
    add((error as StorageError).fault.kind, 1);
  }
  await bucket.quiet();
  const { payloads } = await Writer.open(objects);
  const found = new Set(payloads);
  expect(found.size).toBe(payloads.length);
  for (const { acknowledged } of lives) {
    add('acknowledged', acknowledged.length);
    for (const payload of acknowledged) {
      if (!found.has(payload)) throw new Error(`seed ${seed}: ${payload} is lost`);
    }
    const positions = acknowledged.map((payload) => payloads.indexOf(payload));
    expect(positions).toEqual(positions.toSorted((left, right) => left - right));
  }
  for (const [kind, met] of Object.entries(bucket.met)) add(kind, met);
}

test.each([2, 3])(
  '%d writers',
  async (count) => {
    const totals: Record<string, number> = {};
    for (let seed = 1; seed <= 100; seed++) await struggle(seed * 10 + count, count, totals);
    expect(totals.fenced).toBeGreaterThan(50);
    expect(totals.acknowledged).toBeGreaterThan(1000);
    for (const kind of ['before', 'after', 'double', 'later']) {
      expect(totals[kind]).toBeGreaterThan(100);
    }
  },
  60_000,
);
