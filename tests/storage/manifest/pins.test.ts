/** Pins: what a collector may delete while readers hold older states (docs/storage-format.md, "Pins"). */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { ObsoleteTables } from '../../../src/storage/manifest/obsolete-tables.ts';
import { PinWatch } from '../../../src/storage/manifest/pin-watch.ts';
import { listPins, newPin } from '../../../src/storage/manifest/pins.ts';
import { GarbageCollector } from '../../../src/storage/object/garbage-collector.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { manifestName } from '../../../src/storage/object/names.ts';
import { manualWorld } from '../../support/manual-world.ts';

const { random } = systemWorld();
const at = (number: number) => manifestName(3, number);

function open() {
  const objects = memoryStore();
  const world = manualWorld();
  const { clock } = world;
  const collector = new GarbageCollector(objects, clock);
  const watch = new PinWatch({ collector, clock, expiryMs: 1000, awayMs: 100 });
  const obsoleteTables = new ObsoleteTables({ collector, clock });
  const pin = async (number: number) => {
    const { name } = newPin(at(number), random);
    await objects.put(name, new Uint8Array());
    return name;
  };
  const names = async (prefix: string) => (await objects.list(prefix)).map(({ name }) => name);
  const table = (name: string) => objects.put(`sst/${name}`, new Uint8Array());
  return { objects, collector, world, watch, obsoleteTables, pin, names, table };
}

test('a pin says in its name what it pins, and no two are equal', async () => {
  const { objects, pin } = open();
  const names = [await pin(7), await pin(7)];
  await objects.put('pin/README', new Uint8Array());
  const pins = [...(await listPins(objects))].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(pins).toEqual(names.sort().map((name) => ({ name, manifest: at(7), bytes: 0 })));
  expect(new Set(names).size).toBe(2);
});

test('a dropped table waits for pins below the manifest that lacks it, and for no others', async () => {
  const { objects, collector, world, obsoleteTables, pin, names, table } = open();
  for (const name of ['a', 'b', 'c']) await table(name);
  const oldest = await pin(4);
  const newer = await pin(5);
  obsoleteTables.add([{ name: 'sst/a', bytes: 1 }], at(4));
  world.advance(10);
  obsoleteTables.add([{ name: 'sst/b', bytes: 20 }], at(5));
  obsoleteTables.add([{ name: 'sst/c', bytes: 300 }], at(6));
  await obsoleteTables.sweep(at(6));
  expect(await names('sst/')).toEqual(['sst/b', 'sst/c']);
  world.advance(5);
  expect(collector.statistics(obsoleteTables)).toMatchObject({ waiting: 2, oldestAgeMs: 5 });
  await objects.delete([oldest]);
  await obsoleteTables.sweep(at(6));
  expect(await names('sst/')).toEqual(['sst/c']);
  expect(obsoleteTables.count).toBe(1);
  await objects.delete([newer]);
  await obsoleteTables.sweep(at(6));
  expect(await names('sst/')).toEqual([]);
  expect(obsoleteTables.count).toBe(0);
  const { waiting, oldestAgeMs, parts } = collector.statistics(obsoleteTables);
  expect({ waiting, oldestAgeMs }).toEqual({ waiting: 0, oldestAgeMs: 0 });
  // Both pins, one, and none.
  expect(parts.main).toMatchObject({ listed: 3, deleted: 3, deletedBytes: 321 });
});

test('a pin expires when it has been behind for long enough, and only then', async () => {
  const { world, watch, pin, names } = open();
  const newest = await pin(5);
  expect(await watch.oldest(at(5))).toBe(at(5));
  world.advance(5000);
  // The newest is nobody's burden, however old it is.
  expect(await watch.oldest(at(5))).toBe(at(5));
  expect(await watch.oldest(at(6))).toBe(at(5));
  world.advance(999);
  expect(await watch.oldest(at(7))).toBe(at(5));
  world.advance(1);
  expect(await watch.oldest(at(7))).toBeUndefined();
  expect(await names('pin/')).not.toContain(newest);
});

test('a reader that does not follow any more is not published for', async () => {
  const { world, watch, pin } = open();
  await pin(5);
  await watch.oldest(at(6));
  expect(watch.followers).toBe(1);
  world.advance(100);
  expect(await watch.oldest(at(6))).toBe(at(5));
  expect(watch.followers).toBe(0);
  await pin(6);
  await watch.oldest(at(6));
  expect(watch.followers).toBe(1);
});

test('pins of different epochs are ordered as their manifests are', async () => {
  const { watch, objects } = open();
  for (const manifest of [manifestName(10, 1), manifestName(9, 500)]) {
    await objects.put(newPin(manifest, random).name, new Uint8Array());
  }
  expect(await watch.oldest(manifestName(10, 2))).toBe(manifestName(9, 500));
});
