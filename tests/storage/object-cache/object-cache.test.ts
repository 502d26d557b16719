/** Parts of remote tables on the local disk: what is fetched, kept, checked, and given up. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { type MemoryObjects, memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { ObjectReader, ObjectStore } from '../../../src/storage/object/store.ts';
import { ObjectCache } from '../../../src/storage/object-cache/object-cache.ts';
import type { ObjectCacheOptions } from '../../../src/storage/object-cache/options.ts';
import { type Faults, FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';

const kib = 1 << 10;
const partBytes = 64 * kib;
const defaults: ObjectCacheOptions = {
  bytesMax: 1 << 20,
  partBytes,
  keepsFlushed: false,
  keepsMerged: false,
  preload: 'none',
};

function bodyOf(seed: number, bytes: number): Uint8Array {
  const unit = seededRandom(seed);
  return Uint8Array.from({ length: bytes }, () => Math.floor(unit() * 256));
}

/** A store that is far away: it answers late, and counts its reads. */
class Remote {
  readonly objects: MemoryObjects = new Map();
  reads = 0;
  opened = 0;
  isDown = false;
  readonly store: ObjectStore;

  constructor() {
    const memory = memoryStore(this.objects);
    this.store = {
      ...memory,
      openRead: async (name) => {
        if (this.isDown) throw new Error('the network is down');
        this.opened++;
        const reader = await memory.openRead(name);
        return { ...reader, readInto: (offset, target) => this.read(reader, offset, target) };
      },
    };
  }

  private async read(reader: ObjectReader, offset: number, target: Uint8Array): Promise<number> {
    this.reads++;
    await null;
    if (this.isDown) throw new Error('the network is down');
    return reader.readInto(offset, target);
  }
}

class Setting {
  readonly remote = new Remote();
  now = 0;
  io: FaultyDirectory;
  cache: ObjectCache;

  private readonly options: Partial<ObjectCacheOptions>;

  constructor(options: Partial<ObjectCacheOptions> = {}, faults: Faults = {}) {
    this.options = options;
    this.io = new FaultyDirectory(seededRandom(1), faults);
    this.cache = this.open();
  }

  /** As a new process finds the directory. */
  open(options: Partial<ObjectCacheOptions> = this.options): ObjectCache {
    const clock = { unixMs: () => this.now, monotonicMs: () => this.now };
    this.cache = new ObjectCache({
      remote: this.remote.store,
      io: this.io,
      directory: 'parts',
      clock,
      options: { ...defaults, ...options },
    });
    return this.cache;
  }

  async read(name: string, offset: number, length: number): Promise<Uint8Array> {
    const reader = await this.cache.objects.openRead(name);
    const target = new Uint8Array(length);
    const count = await reader.readInto(offset, target);
    reader.close();
    await settle();
    return target.subarray(0, count);
  }

  get files(): readonly string[] {
    return this.io.entries('parts').toSorted();
  }

  get fileBytes(): number {
    return this.files.reduce((sum, name) => sum + (this.io.sizeOf(`parts/${name}`) ?? 0), 0);
  }

  /** Changes one byte of a file of the cache. */
  async flip(name: string, at: number): Promise<void> {
    const file = this.io.open(`parts/${name}`, 'write');
    if (file === undefined) throw new Error(`no ${name}`);
    const byte = new Uint8Array(1);
    file.read(byte, at);
    byte[0] = (byte[0] as number) ^ 0x40;
    await file.write(byte, at);
    file.close();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const table = 'sst/0000000001-0000000001';
const body = bodyOf(1, 3 * partBytes + 5000);

async function withTable(options: Partial<ObjectCacheOptions> = {}, faults: Faults = {}) {
  const setting = new Setting(options, faults);
  await setting.cache.objects.put(table, body);
  return setting;
}

describe('reading', () => {
  test('any range is what the remote store has, now and from the disk', async () => {
    const setting = await withTable();
    const offset = fc.nat(body.length + 10);
    await fc.assert(
      fc.asyncProperty(offset, fc.nat(2 * partBytes), async (from, length) => {
        const expected = body.subarray(from, from + length);
        expect(Buffer.compare(await setting.read(table, from, length), expected)).toBe(0);
      }),
      { numRuns: 60 },
    );
    expect(setting.remote.reads).toBe(4);
    expect(setting.cache.counters).toMatchObject({ fetches: 4, stored: 4, damaged: 0 });
  });

  test('what is local is read at once, and needs no network after a restart', async () => {
    const setting = await withTable();
    await setting.read(table, 0, body.length);
    setting.open();
    setting.remote.isDown = true;
    const reader = setting.cache.objects.openRead(table) as ObjectReader;
    expect(reader.bytes).toBe(body.length);
    const target = new Uint8Array(100_000);
    expect(reader.readInto(partBytes - 50, target)).toBe(100_000);
    expect(target).toEqual(body.slice(partBytes - 50, partBytes - 50 + 100_000));
  });

  test('those who miss a part at the same time fetch it once', async () => {
    const setting = await withTable();
    const reads = Array.from({ length: 8 }, (_, i) => setting.read(table, i * 1000, 500));
    expect((await Promise.all(reads)).map((bytes) => bytes.length)).toEqual(Array(8).fill(500));
    expect(setting.remote.reads).toBe(1);
  });

  test('a failed fetch is not remembered', async () => {
    const setting = await withTable();
    const reader = await setting.cache.objects.openRead(table);
    setting.remote.isDown = true;
    expect(async () => reader.readInto(0, new Uint8Array(10))).toThrow('the network is down');
    await settle();
    setting.remote.isDown = false;
    const target = new Uint8Array(10);
    expect(await reader.readInto(0, target)).toBe(10);
    expect(target).toEqual(body.slice(0, 10));
  });

  test('only tables are kept', async () => {
    const setting = new Setting({ keepsFlushed: true });
    await setting.cache.objects.put('manifest/1', body);
    expect(await setting.read('manifest/1', 5, 10)).toEqual(body.slice(5, 15));
    expect(setting.files).toEqual([]);
  });
});

describe('bounds', () => {
  test('the least recently used parts go, and the disk never holds more', async () => {
    const bytesMax = 3 * (partBytes + 1000);
    const setting = await withTable({ bytesMax });
    for (const part of [0, 1, 2, 0, 3]) {
      await setting.read(table, part * partBytes, 10);
      expect(setting.fileBytes).toBeLessThanOrEqual(bytesMax);
      expect(setting.fileBytes).toBe(setting.cache.usedBytes);
    }
    expect(setting.files.map((name) => name.split('.').at(-1))).toEqual(['0', '2', '3']);
    expect(setting.cache.counters.evicted).toBe(1);
  });

  test('a smaller bound counts from the opening on', async () => {
    const setting = await withTable();
    await setting.read(table, 0, body.length);
    expect(setting.files).toHaveLength(4);
    setting.open({ bytesMax: 2 * (partBytes + 1000) });
    expect(setting.files).toHaveLength(2);
    expect(setting.fileBytes).toBe(setting.cache.usedBytes);
  });

  test('parts of another size and unknown files are swept away at the opening', async () => {
    const setting = await withTable();
    await setting.read(table, 0, body.length);
    setting.io.open('parts/tmp-7', 'create')?.close();
    setting.open({ partBytes: 2 * partBytes });
    expect(setting.files).toEqual([]);
    expect(await setting.read(table, 2 * partBytes, 20)).toEqual(
      body.slice(2 * partBytes, 2 * partBytes + 20),
    );
  });

  test('deleted tables leave nothing', async () => {
    const setting = await withTable({ keepsFlushed: true });
    expect(setting.files).toHaveLength(4);
    await setting.cache.objects.delete([table]);
    expect([setting.files, setting.cache.usedBytes]).toEqual([[], 0]);
    expect(setting.remote.objects.has(table)).toBe(false);
  });
});

describe('trouble of the local disk', () => {
  test('a damaged part is fetched again, wherever the damage is', async () => {
    const setting = await withTable();
    await setting.read(table, 0, body.length);
    const name = setting.files[1] as string;
    const size = setting.io.sizeOf(`parts/${name}`) as number;
    const positions = [0, 5, 9, 17, 30, 33, 40, 48, 1000, 20_000, 40_000, size - 1];
    for (const at of positions) {
      await setting.flip(name, at);
      setting.open();
      const { fetches } = setting.cache.counters;
      expect(await setting.read(table, partBytes, partBytes)).toEqual(
        body.slice(partBytes, 2 * partBytes),
      );
      expect([at, setting.cache.counters.fetches - fetches]).toEqual([at, 1]);
      expect(setting.cache.counters.damaged).toBe(1);
    }
  });

  test('a part in the place of another is not believed', async () => {
    const setting = await withTable();
    await setting.read(table, 0, body.length);
    const [first, second] = setting.files as [string, string];
    setting.io.rename(`parts/${second}`, `parts/${first}`);
    setting.open();
    expect(await setting.read(table, 0, 1000)).toEqual(body.slice(0, 1000));
    expect(setting.cache.counters.damaged).toBeGreaterThan(0);
  });

  test('a file that has gone is fetched again', async () => {
    const setting = await withTable();
    await setting.read(table, 0, 10);
    for (const name of setting.files) setting.io.unlink(`parts/${name}`);
    expect(await setting.read(table, 0, 10)).toEqual(body.slice(0, 10));
    expect(setting.remote.reads).toBe(2);
  });

  test('a full disk is no failure, and is left alone for a while', async () => {
    const setting = await withTable({}, { roomBytes: partBytes + 2000 });
    for (let part = 0; part < 3; part++) {
      const from = part * partBytes;
      expect(await setting.read(table, from, 50)).toEqual(body.slice(from, from + 50));
    }
    expect(setting.cache.counters).toMatchObject({ stored: 1, failures: 1, fetches: 3 });
    expect(setting.files).toHaveLength(1);
    setting.now += 11_000;
    await setting.read(table, 2 * partBytes, 50);
    expect(setting.cache.counters.failures).toBe(2);
  });
});

describe('ahead of need', () => {
  test('what was put stays here when flushed tables do', async () => {
    const setting = await withTable({ keepsFlushed: true });
    setting.remote.isDown = true;
    expect(await setting.read(table, 100, 200_000)).toEqual(body.slice(100, 200_000 + 100));
  });

  test('preloading fetches what fits, the first tables first, and nothing twice', async () => {
    const bytesMax = 6 * (partBytes + 1000);
    const setting = await withTable({ bytesMax });
    const other = 'sst/0000000001-0000000002';
    setting.remote.objects.set(other, body.slice());
    await setting.read(table, 0, 10);
    const tables = [table, other].map((name) => ({ name, bytes: body.length }));
    await setting.cache.preload(tables);
    expect(setting.remote.reads).toBe(4);
    setting.remote.isDown = true;
    expect(await setting.read(table, 0, body.length)).toEqual(body);
  });

  test('a preload that fails tells nobody', async () => {
    const setting = await withTable();
    setting.remote.isDown = true;
    await setting.cache.preload([{ name: table, bytes: body.length }]);
    expect(setting.files).toEqual([]);
  });
});

test('the tree of the cache needs no preparation', async () => {
  const setting = new Setting();
  await prepareTree(setting.io);
  expect(setting.open().usedBytes).toBe(0);
});
