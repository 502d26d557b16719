/** Tables in memory, for tests: written from a list of versions, read at once or late. */

import { BlockCache } from '../../src/storage/cache/block-cache.ts';
import type { InternalCursor } from '../../src/storage/cursor/internal-cursor.ts';
import type { TableEntry } from '../../src/storage/manifest/manifest.ts';
import type { TableOutput } from '../../src/storage/merge/task.ts';
import type { ObjectReader } from '../../src/storage/object/store.ts';
import { SsTable, type TableReadOptions } from '../../src/storage/table/ss-table.ts';
import { TableBuilder } from '../../src/storage/table/table-builder.ts';
import { type TableOptions, tableDefaults } from '../../src/storage/table/table-options.ts';
import { MemorySink } from '../../src/storage/table/table-sink.ts';
import { byKeyNewestFirst, type Version } from './model.ts';

export interface TableFile {
  readonly entry: TableEntry;
  readonly bytes: Uint8Array;
}

export function entryOf(version: Version): InternalCursor {
  const value = version.value ?? new Uint8Array(0);
  return {
    key: version.key,
    keyFrom: 0,
    keyTo: version.key.length,
    value,
    valueFrom: 0,
    valueTo: value.length,
    sequence: version.sequence,
    isTombstone: version.value === undefined,
    next: () => false,
    close: () => undefined,
  };
}

/** `versions` in any order. */
export function writeTable(
  versions: readonly Version[],
  options: Partial<TableOptions> = {},
  name = 'sst/0000000001-0000000001',
): TableFile {
  const sink = new MemorySink();
  const builder = new TableBuilder(name, sink, { ...tableDefaults, ...options });
  for (const version of versions.toSorted(byKeyNewestFirst)) builder.add(entryOf(version));
  const entry = builder.finish();
  return { entry, bytes: new Uint8Array(Buffer.concat(sink.parts)) };
}

/** Answers at once, or a turn later. */
export function readerOf(name: string, bytes: Uint8Array, isLate = false): ObjectReader {
  const read = (offset: number, target: Uint8Array): number => {
    const part = bytes.subarray(offset, offset + target.length);
    target.set(part);
    return part.length;
  };
  return {
    name,
    bytes: bytes.length,
    readInto: (offset, target) =>
      isLate ? Promise.resolve().then(() => read(offset, target)) : read(offset, target),
    close: () => undefined,
  };
}

export function openTable(
  file: TableFile,
  options: Partial<TableReadOptions> & { readonly isLate?: boolean } = {},
): SsTable {
  const { isLate, cache = new BlockCache(1 << 20), ...rest } = options;
  const reader = readerOf(file.entry.name, file.bytes, isLate);
  return new SsTable(reader, file.entry, { cache, ...rest });
}

/** The directory of a store of tables. */
export class TableFiles {
  readonly bytes = new Map<string, Uint8Array>();
  private readonly cache = new BlockCache(1 << 20);
  private count = 0;

  create(): TableOutput {
    const sink = new MemorySink();
    const name = `sst/0000000009-${String(this.count++).padStart(10, '0')}`;
    return {
      name,
      sink,
      finish: async () => {
        this.bytes.set(name, new Uint8Array(Buffer.concat(sink.parts)));
      },
    };
  }

  open(entry: TableEntry): SsTable {
    const bytes = this.bytes.get(entry.name);
    if (bytes === undefined) throw new Error(`no table ${entry.name}`);
    return new SsTable(readerOf(entry.name, bytes), entry, { cache: this.cache });
  }
}
