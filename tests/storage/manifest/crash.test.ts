/**
 * The power goes at every effect of opening, appending, rolling, publishing and collecting; also twice in a row, while
 * recovering. Acknowledged records are always recovered, and never half a record.
 */

import { expect, test } from 'bun:test';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import { type Faults, FaultyDirectory, PowerLoss } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';
import { Lineage, LostRecords } from './lineage.ts';

const segmentBytes = 16 << 10;

async function media(directory: FaultyDirectory, seed: number) {
  await prepareTree(directory);
  return directoryLocation(directory, seededWorld(seed), segmentBytes);
}

/** One life of a process: opens, works, closes; or dies of a fault on the way. */
async function live(lineage: Lineage, directory: FaultyDirectory, seed: number): Promise<void> {
  try {
    const durable = await lineage.open(await media(directory, seed));
    for (let step = 0; step < 14; step++) {
      if (step % 6 === 5) await lineage.flush();
      else await lineage.append();
    }
    await durable.close();
  } catch (error) {
    if (!isExpected(error, directory)) throw error;
  }
}

/** What a fault may lead to; losing records or refusing to open is never among it. */
function isExpected(error: unknown, directory: FaultyDirectory): boolean {
  if (error instanceof LostRecords) return false;
  if (error instanceof PowerLoss) return true;
  const kind = error instanceof StorageError ? error.fault.kind : undefined;
  return (kind === 'io' && directory.hasFailed) || (kind === 'full' && directory.isFull);
}

interface Ends {
  readonly death: 'power' | 'kill';
  readonly lies?: 'files' | 'names';
}

/** Several lives on one disk; each fault of `faults` belongs to one of them, the last one is without. */
async function lives(seed: number, faults: readonly Faults[], ends: Ends) {
  const unit = seededRandom(seed);
  const lineage = new Lineage(unit, seed * 1000);
  const lie: Faults = ends.lies === undefined ? {} : { lies: ends.lies };
  let directory = new FaultyDirectory(unit, { ...faults[0], ...lie });
  const crashed: boolean[] = [];
  for (let life = 0; life <= faults.length; life++) {
    await live(lineage, directory, seed + life);
    crashed.push(directory.hasLostPower);
    const next = { ...faults[life + 1], ...lie };
    const isKilled = ends.death === 'kill' && !directory.hasLostPower;
    directory = isKilled ? directory.afterKill(next) : directory.afterPowerLoss(next);
  }
  return { lineage, crashed };
}

test('power loss at every effect of the first life', async () => {
  for (let powerLossAt = 1, crashed = true; crashed; powerLossAt++) {
    crashed = false;
    for (let seed = 1; seed <= 4; seed++) {
      const outcome = await lives(seed, [{ powerLossAt }], { death: 'power' });
      crashed ||= outcome.crashed[0] as boolean;
    }
    if (!crashed) expect(powerLossAt).toBeGreaterThan(80);
  }
}, 60_000);

test('power loss at every effect of recovering from a power loss', async () => {
  for (let powerLossAt = 1; powerLossAt <= 50; powerLossAt++) {
    for (let seed = 1; seed <= 4; seed++) {
      const first = 40 + ((seed * 37 + powerLossAt) % 50);
      await lives(seed, [{ powerLossAt: first }, { powerLossAt }], { death: 'power' });
    }
  }
}, 60_000);

test('many lives, killed or without power, with a failing sync now and then', async () => {
  let acknowledged = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const unit = seededRandom(seed + 7);
    const faults = Array.from({ length: 6 }, () => {
      const at = 1 + Math.floor(unit() * 120);
      return unit() < 0.3 ? { failSyncAt: at % 20 } : { powerLossAt: at };
    });
    const death = seed % 2 === 0 ? 'kill' : 'power';
    const { lineage } = await lives(seed, faults, { death });
    acknowledged += lineage.acknowledged;
  }
  expect(acknowledged).toBeGreaterThan(1000);
}, 60_000);

test('a disk that runs full stops the writer and loses nothing', async () => {
  for (let roomBytes = 0; roomBytes < 120_000; roomBytes += 1500) {
    await lives(1 + (roomBytes % 7), [{ roomBytes }], { death: 'power' });
  }
}, 60_000);

test.each(['files', 'names'] as const)(
  'a disk that lies about %s is found out',
  async (lies) => {
    let found = 0;
    for (let seed = 1; seed <= 30; seed++) {
      try {
        await lives(seed, [{}, {}], { death: 'power', lies });
      } catch {
        found++;
      }
    }
    expect(found).toBeGreaterThan(5);
  },
  60_000,
);
