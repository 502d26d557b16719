import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DatabaseError } from '#failure';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import {
  sectionChecksum,
  sections,
  seedOfTable,
} from '../../../src/storage/table/section-checksum.ts';
import type { SsTable } from '../../../src/storage/table/ss-table.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { openTable, type TableFile, writeTable } from '../files.ts';
import { Model, readAll } from '../model.ts';

const numberKey = (n: number): Uint8Array => Uint8Array.of(0, n >> 8, n & 0xff);
const versions = Array.from({ length: 400 }, (_, i) => ({
  key: numberKey(i),
  value: i % 5 === 0 ? undefined : Uint8Array.of(i, i >> 8, 7),
  sequence: i + 1,
}));
const file = writeTable(versions, { blockRowsMax: 50, filterKeysMin: 0 });
const everything = { from: new Uint8Array(0), to: undefined };
const model = new Model();
for (const version of versions) model.write(version);
const expected = model.scan(everything, 'forward', 1000);

async function readEverything(table: SsTable): Promise<unknown> {
  for (let i = 0; i < versions.length; i += 7) {
    const lookup = new Lookup().ask(numberKey(i), 1000);
    for (let found = table.find(lookup); found instanceof Promise; found = table.find(lookup)) {
      await found;
    }
  }
  return readAll(table.scan(everything, 'forward', 1000));
}

const damaged = (change: (bytes: Uint8Array) => Uint8Array): TableFile => ({
  entry: file.entry,
  bytes: change(file.bytes.slice()),
});

async function failureOf(broken: TableFile, isLate = false): Promise<DatabaseError | undefined> {
  try {
    expect(await readEverything(openTable(broken, { isLate }))).toEqual(expected);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseError);
    return error as DatabaseError;
  }
}

describe('a damaged table', () => {
  test('undamaged, it reads', async () => {
    expect(await failureOf(file)).toBeUndefined();
  });

  test('any flipped bit is a typed failure that names the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(file.bytes.length - 1),
        fc.nat(7),
        fc.boolean(),
        async (at, bit, isLate) => {
          const broken = damaged((bytes) => {
            bytes[at] = (bytes[at] as number) ^ (1 << bit);
            return bytes;
          });
          const error = await failureOf(broken, isLate);
          expect(error?.failure).toMatchObject({ reason: 'storage_unavailable', stage: 'storage' });
          expect(error?.message).toContain(file.entry.name);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('the message names the block', async () => {
    const broken = damaged((bytes) => {
      bytes[20] = 99;
      return bytes;
    });
    expect((await failureOf(broken))?.message).toStartWith(
      `SSTable ${file.entry.name} is damaged: block 0: its checksum does not match`,
    );
  });

  test('a truncated file', async () => {
    for (const length of [0, 30, 64, 500, file.bytes.length - 1]) {
      const error = await failureOf(damaged((bytes) => bytes.subarray(0, length)));
      expect(error?.failure.stage).toBe('storage');
    }
  });

  test('blocks that changed places', async () => {
    const same = Array.from({ length: 40 }, (_, i) => ({
      key: numberKey(i),
      value: Uint8Array.of(1),
      sequence: 1,
    }));
    const small = writeTable(same, { blockRowsMax: 10 });
    const view = new DataView(small.bytes.buffer, small.bytes.byteOffset);
    const topAt = view.getUint32(small.bytes.length - 16, true);
    const partitionAt = view.getUint32(topAt + 4, true);
    const blockBytes = view.getUint32(partitionAt + 20, true);
    const swapped = small.bytes.slice();
    swapped.set(small.bytes.subarray(0, blockBytes), blockBytes);
    swapped.set(small.bytes.subarray(blockBytes, 2 * blockBytes), 0);
    const table = openTable({ entry: small.entry, bytes: swapped });
    expect(await outcomeOf(readAll(table.scan(everything, 'forward', 9)))).toThrow('block 0');
  });

  test('a section at the place of another one, however alike their bytes', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const seeds = ['sst/1-1', 'sst/1-2'].map(seedOfTable);
    const numbers = [0, 1, sections.partition, sections.partition + 1, ...Object.values(sections)];
    const places = seeds.flatMap((seed) => [...new Set(numbers)].map((at) => ({ seed, at })));
    const sums = places.map(({ seed, at }) => sectionChecksum(bytes, seed, at));
    expect(new Set(sums).size).toBe(places.length);
  });

  test('the file of another table', async () => {
    const other = {
      bytes: file.bytes,
      entry: { ...file.entry, name: 'sst/0000000001-0000000002' },
    };
    expect((await failureOf(other))?.message).toContain('the footer');
  });

  test('a newer format', async () => {
    const { encodeFooter, footerBytes } = await import('../../../src/storage/table/footer.ts');
    expect(footerBytes).toBe(64);
    const rest = { blocks: 1, partitions: 1, entries: 1, deletions: 0, sequenceMin: 0 };
    const place = { sequenceMax: 1, topAt: 0, topBytes: 0, topChecksum: 0 };
    const seed = seedOfTable(file.entry.name);
    const footer = encodeFooter({ ...rest, ...place }, (bytes) => {
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(4, 3, true);
      return sectionChecksum(bytes, seed, sections.footer);
    });
    expect((await failureOf({ entry: file.entry, bytes: footer }))?.message).toContain(
      'format version 3',
    );
  });
});
