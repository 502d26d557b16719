/**
 * The power goes at every effect of a store at work: opening, committing, flushing, compacting, publishing, collecting. Afterwards the
 * store is a prefix of the commits, whole ones, with every acknowledged one in it.
 */

import { expect, test } from 'bun:test';
import { seededRandom } from '../object/seeded-world.ts';
import { lives } from './lives.ts';

test('power loss at every effect of the first life', async () => {
  const { effects, done } = await lives(1, [{}], { death: 'power' });
  expect(done.flushes).toBeGreaterThan(10);
  expect(done.compactions).toBeGreaterThan(2);
  const total = effects[0] as number;
  expect(total).toBeGreaterThan(100);
  for (let powerLossAt = 1; powerLossAt <= total; powerLossAt++) {
    await lives(1 + (powerLossAt % 5), [{ powerLossAt }], { death: 'power' });
  }
}, 120_000);

test('power loss at every effect of the opening after a power loss', async () => {
  for (let powerLossAt = 1; powerLossAt <= 60; powerLossAt++) {
    const first = 60 + ((powerLossAt * 37) % 200);
    await lives(powerLossAt % 7, [{ powerLossAt: first }, { powerLossAt }], { death: 'power' }, 60);
  }
}, 120_000);

test('many lives, killed or without power, with a failing sync now and then', async () => {
  let commits = 0;
  for (let seed = 1; seed <= 25; seed++) {
    const unit = seededRandom(seed + 7);
    const faults = Array.from({ length: 5 }, () => {
      const at = 1 + Math.floor(unit() * 400);
      return unit() < 0.3 ? { failSyncAt: 1 + (at % 40) } : { powerLossAt: at };
    });
    const death = seed % 2 === 0 ? 'kill' : 'power';
    const { workload } = await lives(seed, faults, { death });
    commits += workload.commits;
  }
  expect(commits).toBeGreaterThan(200);
}, 120_000);

test('a disk that runs full stops the writer and loses nothing', async () => {
  for (let roomBytes = 0; roomBytes < 400_000; roomBytes += 9_000) {
    await lives(1 + (roomBytes % 7), [{ roomBytes }], { death: 'power' });
  }
}, 120_000);

test.each(['files', 'names'] as const)(
  'a disk that lies about %s is found out',
  async (lies) => {
    let found = 0;
    for (let seed = 1; seed <= 12; seed++) {
      try {
        await lives(seed, [{}, {}], { death: 'power', lies });
      } catch {
        found++;
      }
    }
    expect(found).toBeGreaterThan(2);
  },
  120_000,
);
