/** Bits of a store at rest that flipped, files that are cut, gone, or in each other's place: right answers, or a failure that names the file. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { restoreClaims } from '../../../src/storage/manifest/claims.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { PlainDirectory } from './plain-directory.ts';
import {
  commitInto,
  judge,
  openCopy,
  type StoreAtRest,
  storeAtRest,
  type Verdict,
} from './store-at-rest.ts';

const atRest = await storeAtRest('closed');
const killed = await storeAtRest('killed');
const { directory } = atRest;
/** What is in the making, or about to be used again, holds nothing; of the mark nothing is read while there is a manifest. */
const isKept = (path: string) => !path.endsWith('.spare') && path !== 'runtime';

function only(prefix: string, at = atRest): string[] {
  return at.directory.paths.filter((path) => path.startsWith(prefix));
}

/** How often each verdict was reached. */
async function flipped(at: StoreAtRest, path: string, bits: Iterable<number>) {
  const counts: Record<Verdict, number> = { right: 0, named: 0, cut: 0 };
  for (const bit of bits) {
    const damaged = at.directory.copy();
    damaged.flip(path, bit);
    counts[await judge(at, damaged, path)]++;
  }
  return counts;
}

const bitsOf = (path: string) =>
  Array.from({ length: directory.content(path).length * 8 }, (_, i) => i);

function sample(bits: readonly number[], count: number): number[] {
  const random = seededRandom(bits.length);
  return Array.from({ length: count }, () => bits[Math.floor(random() * bits.length)] as number);
}

test('the store has what can rot', async () => {
  expect(only('manifest/')).toHaveLength(1);
  expect(only('sst/').length).toBeGreaterThan(2);
  expect(await judge(atRest, directory.copy(), '-')).toBe('right');
});

test('any bit of the manifest', async () => {
  const [path] = only('manifest/') as [string];
  const { named, right } = await flipped(atRest, path, bitsOf(path));
  expect({ named, right }).toEqual({ named: bitsOf(path).length, right: 0 });
}, 60_000);

test('bits of tables', async () => {
  for (const path of only('sst/')) {
    const { named, right, cut } = await flipped(atRest, path, sample(bitsOf(path), 150));
    expect(named).toBeGreaterThan(100);
    expect(named + right).toBe(150);
    expect(cut).toBe(0);
  }
}, 60_000);

/** The log is mostly zeros behind its last group. */
test.each([
  ['closed', atRest],
  ['killed', killed],
])(
  'any bit of the log that holds something, and others: %s',
  async (end, at) => {
    const segments = only('wal/', at).filter((path) => path.endsWith('.log'));
    for (const path of segments) {
      const content = at.directory.content(path);
      const isUsed = (bit: number) => content[bit >> 3] !== 0;
      const bits = Array.from({ length: content.length * 8 }, (_, i) => i);
      const used = bits.filter(isUsed);
      const rest = bits.filter((bit) => !isUsed(bit));
      const { cut, right } = await flipped(at, path, [...used, ...sample(rest, 300)]);
      // Only the last group of a log that was not closed may be taken for a torn one.
      if (end === 'killed' && path === segments.at(-1)) expect(cut).toBeGreaterThan(0);
      else expect(cut).toBe(0);
      expect(right).toBeGreaterThan(0);
    }
  },
  60_000,
);

/** A cut or missing manifest may have any number. */
const nameIn = (path: string) => (path.startsWith('manifest/') ? path.slice(0, -10) : path);

test.each([
  ['closed', atRest],
  ['killed', killed],
])(
  'a file that is cut short, empty or gone: %s',
  async (end, at) => {
    for (const path of at.directory.paths.filter(isKept)) {
      const whole = at.directory.content(path);
      for (const length of [0, 1, 17, 64, 4096, 8192, whole.length >> 1, whole.length - 1]) {
        if (length >= whole.length || path.startsWith('epoch/')) continue;
        const damaged = at.directory.copy();
        damaged.replace(path, whole.slice(0, length));
        const verdict = await judge(at, damaged, path);
        // What is sealed counts up to its seal, and zeros follow.
        if (end === 'closed' && path.startsWith('wal/')) expect(verdict).not.toBe('cut');
        else expect(`${path} ${length} ${verdict}`).toEndWith('named');
      }
      const damaged = at.directory.copy();
      damaged.unlink(path);
      expect(`${path} ${await judge(at, damaged, nameIn(path))}`).toEndWith('named');
    }
  },
  60_000,
);

test('a store whose claims are gone changes nothing, and opens again when they are made again', async () => {
  const damaged = killed.directory.copy();
  damaged.unlink('epoch/0000000001');
  const before = damaged.paths;
  for (let i = 0; i < 2; i++) {
    expect(await judge(killed, damaged, 'epoch/0000000001')).toBe('named');
    expect(damaged.paths).toEqual(before);
  }
  const objects = fileStore(damaged, systemWorld().random);
  expect(await restoreClaims(objects, systemWorld())).toEqual(['epoch/0000000001']);
  expect(await judge(killed, damaged, '-')).toBe('right');
  expect(only('epoch/', { ...killed, directory: damaged })).toEqual([
    'epoch/0000000001',
    'epoch/0000000002',
  ]);
});

test('a mark that is damaged or gone takes nothing along', async () => {
  for (const change of [
    (copy: PlainDirectory) => copy.replace('runtime', new Uint8Array([1, 2])),
    (copy: PlainDirectory) => copy.unlink('runtime'),
  ]) {
    const damaged = killed.directory.copy();
    change(damaged);
    expect(await judge(killed, damaged, '-')).toBe('right');
    expect(damaged.paths).toContain('runtime');
  }
});

test('a claim that is missing between others is refused, too', async () => {
  const damaged = atRest.directory.copy();
  for (let i = 0; i < 2; i++) await (await openCopy(damaged)).close();
  damaged.unlink('epoch/0000000002');
  expect(await judge(atRest, damaged, 'epoch/0000000002')).toBe('named');
});

test("tables in each other's place", async () => {
  const tables = only('sst/');
  for (const path of tables) {
    for (const other of tables) {
      if (other === path) continue;
      const damaged = directory.copy();
      damaged.replace(path, directory.content(other));
      expect(await judge(atRest, damaged, path)).toBe('named');
    }
  }
}, 60_000);

test('a store with a damaged table goes on: it is set aside, everything newer is merged, and nothing wrong is read', async () => {
  for (const path of only('sst/')) {
    const damaged = directory.copy();
    damaged.flip(path, 200);
    const store = await openCopy(damaged);
    const states = [...atRest.states];
    for (let i = 0; i < 400; i++) {
      await commitInto(store, states, { [`new ${i % 150}`]: `${i} `.repeat(20) });
      if (i % 20 === 0) await store.idle();
    }
    await store.tidy();
    const { compaction, runs } = store.statistics();
    expect([store.poisoned, store.pressure, compaction.damaged]).toEqual([
      undefined,
      'none',
      [path],
    ]);
    expect(compaction.jobs).toBeGreaterThan(2);
    expect(runs.length).toBeLessThan(16);
    await store.close();
    expect(await judge({ directory, states }, damaged, path)).toBe('named');
  }
}, 60_000);
