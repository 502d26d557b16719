/** Objects survive a power failure at every effect once they are reported, and are never seen by halves. */

import { expect, test } from 'bun:test';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { type Faults, FaultyDirectory } from './faulty-directory.ts';
import { seededRandom, seededWorld } from './seeded-world.ts';

const names = ['sst/a', 'epoch/1', 'deep/er/b'];

interface Outcome {
  readonly crashed: boolean;
  readonly violation: string | undefined;
}

async function runOnce(seed: number, faults: Faults): Promise<Outcome> {
  const unit = seededRandom(seed);
  const directory = new FaultyDirectory(unit, faults);
  const reported = new Map<string, string>();
  const written = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
  try {
    await prepareTree(directory);
    const store = fileStore(directory, seededWorld(seed).random);
    for (let step = 0; step < 6; step++) {
      const name = names[step % 3] as string;
      const body = `${step}:`.repeat(300 + Math.floor(unit() * 500));
      written.get(name)?.add(body);
      if (step % 2 === 0) await store.put(name, Buffer.from(body));
      else if ((await store.putIfAbsent(name, Buffer.from(body))) !== 'committed') continue;
      reported.set(name, body);
    }
  } catch {}
  const after = directory.afterPowerLoss();
  await prepareTree(after);
  const store = fileStore(after, seededWorld(seed).random);
  let violation: string | undefined;
  for (const name of names) {
    const found = await store.get(name);
    const body = found && Buffer.from(found).toString();
    const expected = reported.get(name);
    if (body === undefined && expected !== undefined) violation = `${name} is lost`;
    if (body !== undefined && !written.get(name)?.has(body)) violation = `${name} is torn`;
  }
  return { crashed: directory.hasLostPower, violation };
}

test('at every effect', async () => {
  let crashes = 0;
  for (let powerLossAt = 1; ; powerLossAt++) {
    let crashed = false;
    for (let seed = 1; seed <= 5; seed++) {
      const outcome = await runOnce(seed, { powerLossAt });
      expect(outcome.violation).toBeUndefined();
      crashed ||= outcome.crashed;
    }
    if (!crashed) break;
    crashes++;
  }
  expect(crashes).toBeGreaterThan(30);
});

test('what is found to be there already is durable, whoever made it', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const directory = new FaultyDirectory(seededRandom(seed));
    await prepareTree(directory);
    directory.open('epoch/1', 'create');
    const store = fileStore(directory, seededWorld(seed).random);
    expect(await store.putIfAbsent('epoch/1', Buffer.from('another'))).toBe('conflict');
    expect(directory.afterPowerLoss().sizeOf('epoch/1')).toBe(0);
  }
});

test.each(['files', 'names'] as const)('a disk that lies about %s is found out', async (lies) => {
  const violations = new Set<string | undefined>();
  for (let seed = 1; seed <= 30; seed++) violations.add((await runOnce(seed, { lies })).violation);
  violations.delete(undefined);
  expect(violations.size).toBeGreaterThan(0);
});
