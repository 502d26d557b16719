/** Blocks that scans trust once they have passed their checksum: how long, and what never trusts them. */

import { describe, expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import type { InternalCursor } from '../../../src/storage/cursor/internal-cursor.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import type { ObjectReader } from '../../../src/storage/object/store.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { readerOf, writeTable } from '../files.ts';

const count = 4_000;
const keyOf = (n: number): Uint8Array => Uint8Array.of(1, n >> 8, n & 0xff);
const file = writeTable(
  Array.from({ length: count }, (_, i) => ({
    key: keyOf(i),
    value: new Uint8Array(20).fill(7),
    sequence: 1,
  })),
  { blockRowsMax: 100 },
);
const everything = { from: new Uint8Array(0), to: undefined };
/** A byte of a value in the third block, which begins with this key. */
const wrong = 205;
const wrongAt = placeOf(wrong);

function placeOf(key: number): number {
  const { table } = opened();
  const lookup = new Lookup();
  table.find(lookup.ask(keyOf(key), 9));
  const { bytes } = lookup.recentPlace as { readonly bytes: Uint8Array };
  const body = lookup.bytes();
  const at = Buffer.from(file.bytes).indexOf(Buffer.from(bytes));
  return at + Buffer.from(bytes).indexOf(Buffer.from(body));
}

interface Opened {
  readonly table: SsTable;
  /** The bytes of the file, which may change. */
  readonly bytes: Uint8Array;
}

function opened(kind: Partial<ObjectReader> = {}, isLate = false): Opened {
  const bytes = file.bytes.slice();
  const reader = { ...readerOf(file.entry.name, bytes, isLate), ...kind };
  return { table: new SsTable(reader, file.entry, { cache: new BlockCache(1000) }), bytes };
}

/** The number of entries, or the message of the failure. */
async function scanned(cursor: InternalCursor): Promise<number | string> {
  let entries = 0;
  try {
    for (;;) {
      const next = cursor.next();
      if (next instanceof Promise) await next;
      else if (!next) return entries;
      else entries++;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseError);
    return (error as DatabaseError).message;
  } finally {
    cursor.close();
  }
}

const scan = ({ table }: Opened) => scanned(table.scan(everything, 'forward', 9));
const namesBlock = expect.stringContaining(`SSTable ${file.entry.name} is damaged: block 2:`);

function damage({ bytes }: Opened): void {
  bytes[wrongAt] = 8;
}

describe('a block that was right when it was read', () => {
  test('is trusted by a scan, and not for long', async () => {
    const store = opened();
    expect(await scan(store)).toBe(count);
    damage(store);
    const found: (number | string)[] = [];
    while (found.length < 40 && typeof found.at(-1) !== 'string') found.push(await scan(store));
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThanOrEqual(16);
    expect(found.at(-1)).toEqual(namesBlock);
    // From then on no scan trusts it.
    expect(await scan(store)).toEqual(namesBlock);
  });

  test('is checked at the first read', async () => {
    const store = opened();
    damage(store);
    expect(await scan(store)).toEqual(namesBlock);
  });

  test('is not trusted by reads that go into the cache, merges and checks', async () => {
    const store = opened();
    expect(await scan(store)).toBe(count);
    damage(store);
    expect(() => store.table.find(new Lookup().ask(keyOf(wrong), 9))).toThrow(DatabaseError);
    expect(await scanned(store.table.versions(everything))).toEqual(namesBlock);
    const findings = await store.table.check({ blocks: true, rest: async () => {} });
    expect(findings.map(String)).toEqual([namesBlock]);
  });

  test('is not trusted in another file with the same name', async () => {
    const store = opened();
    expect(await scan(store)).toBe(count);
    const other = file.bytes.slice();
    other[wrongAt] = 8;
    store.table.reopen(readerOf(file.entry.name, other));
    expect(await scan(store)).toEqual(namesBlock);
  });

  const remotes: Record<string, Opened> = {
    'whose reads take time': opened({}, true),
    'on the local disk': opened({ remote: { isLocal: () => true, partBytes: 4096 } }),
  };
  test.each(Object.entries(remotes))('is not trusted in a bucket, %s', async (_, store) => {
    expect(await scan(store)).toBe(count);
    damage(store);
    expect(await scan(store)).toEqual(namesBlock);
  });

  test('is missed if the file is cut', async () => {
    let end = file.bytes.length;
    const inner = readerOf(file.entry.name, file.bytes);
    const store = opened({
      readInto: (at, target) =>
        inner.readInto(at, target.subarray(0, Math.max(0, Math.min(target.length, end - at)))),
    });
    expect(await scan(store)).toBe(count);
    end = wrongAt;
    const message = await scan(store);
    expect(message).toEqual(namesBlock);
    expect(message).toContain('the file ends inside it');
  });
});
