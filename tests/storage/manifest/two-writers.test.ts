/** Two writers in one directory without a lock: the newer one fences the older, and no acknowledged record is lost. */

import { expect, test } from 'bun:test';
import { readClaims } from '../../../src/storage/manifest/claims.ts';
import { claimEpoch } from '../../../src/storage/manifest/epoch.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { epochName } from '../../../src/storage/object/names.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { directoryLocation, memoryLocation } from '../../../src/storage/place/location.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';
import { type Media, openAndRead } from './lineage.ts';

interface Writer {
  readonly acknowledged: Set<string>;
  readonly ended: Promise<unknown>;
}

/** Opens, then appends and publishes until it is fenced or has done `steps` steps. */
function startWriter(media: Media, name: string, unit: () => number, steps: number): Writer {
  const acknowledged = new Set<string>();
  const work = async (): Promise<void> => {
    const { durable, payloads } = await openAndRead(media, Math.floor(unit() * 1e6));
    for (let step = 0; step < steps; step++) {
      const payload = `${name}-${step}${'.'.repeat(unit() * 3000)}`;
      const record = durable.log.append([Buffer.from(payload)]);
      payloads[record - 1] = payload;
      await durable.log.durable(record);
      acknowledged.add(payload);
      if (unit() < 0.2) {
        const { manifest } = durable;
        const name = `sst/${durable.epoch}-${manifest.nextFile}`;
        await durable.objects.put(name, Buffer.from(JSON.stringify(payloads.slice(0, record))));
        await durable.publish({
          ...manifest,
          runs: [{ level: 0, tables: [{ ...table, name }] }],
          boundary: record,
          nextFile: manifest.nextFile + 1,
        });
        await durable.collect([]);
      }
    }
    await durable.close();
  };
  return { acknowledged, ended: work().catch((error) => error) };
}

const table = {
  bytes: 0,
  smallest: new Uint8Array(),
  largest: new Uint8Array(),
  sequenceMin: 0,
  sequenceMax: 0,
  entries: 0,
  hash: 0n,
};

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('whatever the interleaving', async () => {
  let fenced = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const unit = seededRandom(seed);
    const directory = new FaultyDirectory(unit);
    await prepareTree(directory);
    const media = directoryLocation(directory, seededWorld(seed), 16 << 10);
    const writers: Writer[] = [];
    for (const name of ['a', 'b', 'c']) {
      writers.push(startWriter(media, name, unit, 12));
      await turns(Math.floor(unit() * 60));
    }
    for (const writer of writers) {
      const end = await writer.ended;
      if (end === undefined) continue;
      expect(end).toBeInstanceOf(StorageError);
      expect((end as StorageError).fault.kind).toBe('fenced');
      fenced++;
    }
    const after = seed % 2 === 0 ? directory : directory.afterPowerLoss();
    await prepareTree(after);
    const { payloads } = await openAndRead(directoryLocation(after, seededWorld(seed)), seed);
    const found = new Set(payloads);
    for (const writer of writers) {
      for (const payload of writer.acknowledged) expect(found.has(payload)).toBeTrue();
    }
    expect(found.size).toBe(payloads.length);
  }
  expect(fenced).toBeGreaterThan(100);
}, 60_000);

test('a claim that another writer has not synced yet is not lost below a later one', async () => {
  let crashes = 0;
  for (let powerLossAt = 1; ; powerLossAt++) {
    let crashed = false;
    for (let seed = 1; seed <= 20; seed++) {
      const outcome = await claimAboveUnsynced(seed, powerLossAt);
      expect(outcome.missing).toEqual([]);
      crashed ||= outcome.crashed;
    }
    if (!crashed) break;
    crashes++;
  }
  expect(crashes).toBeGreaterThan(5);
});

/** The power goes at an effect of the later claim. */
async function claimAboveUnsynced(seed: number, powerLossAt: number) {
  const whole = new FaultyDirectory(seededRandom(seed));
  await prepareTree(whole);
  whole.open(epochName(1), 'create');
  const directory = whole.afterKill({ powerLossAt });
  const world = seededWorld(seed);
  const claimed = claimEpoch(fileStore(directory, world.random), world);
  const epoch = await claimed.catch(() => undefined);
  if (!directory.hasLostPower) expect(epoch).toBe(2);
  const after = fileStore(directory.afterPowerLoss(), world.random);
  return { crashed: directory.hasLostPower, missing: (await readClaims(after)).missing };
}

test('an idle writer notices when it is asked', async () => {
  const media = memoryLocation();
  const first = await openAndRead(media, 1);
  expect(await first.durable.fenced()).toBeUndefined();
  const second = await openAndRead(media, 2);
  expect((await first.durable.fenced())?.fault).toEqual({ kind: 'fenced', epoch: 1, by: 2 });
  expect(() => first.durable.log.append([new Uint8Array(1)])).toThrow('taken over by epoch 2');
  expect(await outcomeOf(first.durable.publish(first.durable.manifest))).toThrow(
    'taken over by epoch 2',
  );
  expect(second.durable.log.append([new Uint8Array(1)])).toBe(1);
});
