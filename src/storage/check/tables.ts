/** Checks whether the SSTables of the newest manifest and of the log after it exist and contain the bytes that were written (`svc doctor store`). */

import type { World } from '#base';
import { columnValues } from '../columns/column-codec.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { ManifestFeed } from '../manifest/manifest-feed.ts';
import type { ObjectStore } from '../object/store.ts';
import { checkTable } from '../table/check-table.ts';
import type { CommittedTable } from '../version/run-record.ts';
import { type CheckResult, failed, findingOf, passed } from './findings.ts';

interface StoreAtRest {
  readonly objects: ObjectStore;
  readonly manifests: ManifestFeed;
  /** The SSTables that the log names. */
  readonly committed: readonly CommittedTable[];
  readonly world: World;
  /** True to read all bytes; false to read only footers, indexes and filters. */
  readonly isThorough: boolean;
}

const namesShownMax = 10;

/** Checks the SSTables; returns `undefined` if there is no manifest. Only reads, and may run while a server uses the location. */
export async function examineTables(store: StoreAtRest): Promise<CheckResult | undefined> {
  let isStore = true;
  const finding = await findingOf('tables', async () => {
    const tables = await tablesOf(store);
    isStore = tables !== undefined;
    if (tables === undefined) return passed('there is no manifest');
    const damaged: { readonly table: string; readonly problems: readonly string[] }[] = [];
    for (const entry of tables) {
      const problems = await problemsOf(store, entry);
      if (problems.length > 0) damaged.push({ table: entry.name, problems });
    }
    const needed = damaged.length === 0 ? [] : await stillNeeded(store, damaged);
    if (needed.length === 0) return passed(soundText(tables.length, store.isThorough));
    const names = needed.slice(0, namesShownMax).map(({ table }) => table);
    const more = needed.length > names.length ? ', and more' : '';
    return failed(
      `${damagedText(needed.length, tables.length)} damaged or missing: ${names.join(', ')}${more}; restore these files from a backup; ` +
        'until then only their entries are unavailable',
      { damaged: needed },
    );
  });
  return isStore ? finding : undefined;
}

function soundText(count: number, isThorough: boolean): string {
  const tables = count === 1 ? 'one SSTable' : `${count} SSTables`;
  if (!isThorough)
    return `${tables}: footers, indexes and filters are intact; data blocks were not read`;
  return count === 1 ? `${tables}, intact` : `${tables}, all intact`;
}

function damagedText(count: number, all: number): string {
  return `${count} of ${all} ${all === 1 ? 'SSTable' : 'SSTables'} ${count === 1 ? 'is' : 'are'}`;
}

/** Returns the SSTables of the newest manifest and of the log after it; `undefined` if there is no manifest. */
async function tablesOf({
  manifests,
  committed,
}: StoreAtRest): Promise<readonly TableEntry[] | undefined> {
  for (;;) {
    const name = await manifests.newestName();
    if (name === undefined) return undefined;
    const manifest = await manifests.read(name);
    // The manifest was deleted because a writer has published a newer one.
    if (manifest === undefined) continue;
    const later = committed.filter(({ record }) => record > manifest.boundary);
    return [...manifest.runs.flatMap(({ tables }) => tables), ...later.map(({ table }) => table)];
  }
}

async function problemsOf(
  { objects, world, isThorough }: StoreAtRest,
  entry: TableEntry,
): Promise<readonly string[]> {
  try {
    const reader = await objects.openRead(entry.name, entry.bytes);
    try {
      const rest = () => world.scheduler.yield();
      const found = await checkTable(reader, entry, columnValues, { blocks: isThorough, rest });
      return found.map(messageOf);
    } finally {
      reader.close();
    }
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Drops findings on SSTables that a running writer has compacted and deleted in the meantime. */
async function stillNeeded<T extends { readonly table: string }>(
  store: StoreAtRest,
  damaged: readonly T[],
): Promise<readonly T[]> {
  const names = new Set((await tablesOf(store))?.map(({ name }) => name));
  return damaged.filter(({ table }) => names.has(table));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
