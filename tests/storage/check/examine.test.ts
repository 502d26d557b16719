/** An examination passes what is fit, and finds each thing that is not. */

import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { examinePlace, openStore } from '#storage';
import { examineStore } from '../../../src/storage/check/examine.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { write } from '../transaction/support.ts';

const world = systemWorld();
const examination = { rounds: 4, creators: 8 };

/** Names of the checks that failed. */
async function failures(change: (store: ObjectStore) => Partial<ObjectStore>): Promise<string[]> {
  const store = memoryStore();
  const findings = await examineStore({ ...store, ...change(store) }, world, examination);
  return findings.filter(({ status }) => status === 'fail').map(({ name }) => name);
}

test('memory and a directory are fit, and nothing is left behind', async () => {
  const objects = new Map<string, Uint8Array>();
  const findings = await examineStore(memoryStore(objects), world, examination);
  expect(findings.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'reach pass',
    'write-read pass',
    'range-read pass',
    'overwrite pass',
    'list pass',
    'conditional-write pass',
    'delete pass',
  ]);
  expect(objects.size).toBe(0);
  const path = mkdtempSync(join(tmpdir(), 'svc-examined-'));
  const place = { storage: 'file', path, s3: undefined, world } as const;
  const inside = [...(await examinePlace(place, { rounds: 1, creators: 4 }))];
  expect(inside.pop()).toMatchObject({ name: 'store', status: 'warning' });
  expect(inside.every(({ status }) => status === 'pass')).toBe(true);
  expect(readdirSync(path)).toEqual([]);
  rmSync(path, { recursive: true });
});

const missed = new StorageError({ kind: 'unavailable', operation: 'list', object: 'x' });
const stale = new Map<string, Uint8Array | undefined>();

const unfit: Readonly<
  Record<string, readonly [wanted: string[], change: (store: ObjectStore) => Partial<ObjectStore>]>
> = {
  'a place that does not answer': [['reach'], () => ({ list: () => Promise.reject(missed) })],
  'conditions that are ignored': [
    ['conditional-write'],
    (store) => ({
      putIfAbsent: async (name, body) => {
        await store.put(name, body);
        return 'committed';
      },
    }),
  ],
  'a condition that is checked, and then written without': [
    ['conditional-write'],
    (store) => ({
      putIfAbsent: async (name, body) => {
        if ((await store.head(name)) !== undefined) return 'conflict';
        await store.put(name, body);
        return 'committed';
      },
    }),
  ],
  'a winner who is not the one whose bytes stand': [
    ['conditional-write'],
    (store) => ({
      putIfAbsent: async (name, body) => {
        const outcome = await store.putIfAbsent(name, body);
        await store.put(name, body);
        return outcome;
      },
    }),
  ],
  'creating that does nothing': [
    ['conditional-write'],
    () => ({ putIfAbsent: async () => 'conflict' as const }),
  ],
  'reads that are late': [
    ['write-read', 'range-read', 'overwrite', 'conditional-write'],
    (store) => ({
      get: async (name) => {
        const before = stale.get(name);
        stale.set(name, await store.get(name));
        return before;
      },
      getRange: async () => undefined,
    }),
  ],
  'lists that are late': [
    ['list'],
    (store) => {
      const hidden = new Set<string>();
      return {
        list: async (prefix, after) =>
          (await store.list(prefix, after)).filter(({ name }) => {
            const isNew = name.includes('/list/') && !hidden.has(name);
            hidden.add(name);
            return !isNew;
          }),
      };
    },
  ],
  'ranges that are wrong': [
    ['range-read'],
    (store) => ({
      getRange: (name, offset, length) => store.getRange(name, offset, length + 1),
    }),
  ],
  'deleting that does nothing': [['delete'], () => ({ delete: async () => {} })],
};

for (const [what, [wanted, change]] of Object.entries(unfit)) {
  test(`found: ${what}`, async () => {
    expect(await failures(change)).toEqual(wanted);
  });
}

test('an answer to the winner may be lost', async () => {
  const store = memoryStore();
  const findings = await examineStore(
    {
      ...store,
      putIfAbsent: async (name, body) => {
        const outcome = await store.putIfAbsent(name, body);
        return outcome === 'committed' ? 'unknown' : outcome;
      },
    },
    world,
    examination,
  );
  expect(findings.find(({ name }) => name === 'conditional-write')).toMatchObject({
    status: 'pass',
    details: { unclear: 4, wrong: 0 },
  });
});

test('tables of a store that are damaged or missing are named, whatever of them is read', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-examined-'));
  try {
    const store = await openStore({
      storage: 'file',
      path,
      world,
      tableBytes: 4000,
      blockBytes: 1024,
    });
    for (let i = 0; i < 400; i++) await write(store, { [`key ${i}`]: `${i} `.repeat(20) });
    await store.tidy();
    await store.close();
    const place = { storage: 'file', path, s3: undefined, world } as const;
    const examine = async (isThorough: boolean) => {
      const findings = await examinePlace(place, { rounds: 1, creators: 2, isThorough });
      return findings.find(({ name }) => name === 'tables');
    };
    expect(await examine(true)).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(/^\d+ SSTables, all intact$/),
    });
    const [first, second] = readdirSync(join(path, 'sst')).sort() as [string, string];
    const file = join(path, 'sst', first);
    const bytes = readFileSync(file);
    bytes[100] = (bytes[100] as number) ^ 1;
    writeFileSync(file, bytes);
    // A bit of a block: only a whole reading finds it.
    expect(await examine(false)).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(
        /^\d+ SSTables: footers, indexes and filters are intact; data blocks were not read$/,
      ),
    });
    const thorough = await examine(true);
    expect(thorough).toMatchObject({
      status: 'fail',
      details: { damaged: [{ table: `sst/${first}` }] },
    });
    expect(thorough?.message).toMatch(/^1 of \d\d+ SSTables is damaged or missing: /);
    expect(thorough?.message).toContain(`sst/${first}`);
    rmSync(join(path, 'sst', second));
    expect(await examine(false)).toMatchObject({
      details: { damaged: [{ table: `sst/${second}` }] },
    });
  } finally {
    rmSync(path, { recursive: true });
  }
});
