/** Opens a store: the place, the newest manifest and the log of a former run become a store that takes writes again. */

import { hostname } from 'node:os';
import { assembleStore } from './assemble.ts';
import type { LsmStore } from './lsm-store.ts';
import { openDurable } from './manifest/open-durable.ts';
import { memoryPlace, openDirectoryPlace, type Place } from './manifest/place.ts';
import { type CompleteOptions, type StoreOptions, withDefaults } from './options.ts';
import { TableFiles } from './table-files.ts';
import { decodeCommit } from './transaction/index.ts';
import { VersionSet } from './version-set.ts';

/** Throws a StorageError that says why the place cannot be opened; `locked` names who holds it. */
export async function openStore(options: StoreOptions): Promise<LsmStore> {
  const complete = withDefaults(options);
  const place = await openPlace(complete);
  try {
    return await openStoreIn(place, complete);
  } catch (error) {
    place.close();
    throw error;
  }
}

async function openPlace({ storage, path, world, holderAddress }: CompleteOptions): Promise<Place> {
  if (storage === 'memory') return memoryPlace();
  const startedUnixMs = world.clock.unixMs();
  const identity = { pid: process.pid, hostname: hostname(), startedUnixMs };
  const place = await openDirectoryPlace({ path, world, identity });
  place.announce(holderAddress);
  return place;
}

/** Opens the store in a place, which it closes at its own close; when this fails, the caller does. */
export async function openStoreIn(place: Place, given: StoreOptions): Promise<LsmStore> {
  const options = withDefaults(given);
  const versions = new VersionSet();
  const files = new TableFiles({ ...options, objects: place.objects });
  try {
    const durable = await openDurable({
      world: options.world,
      objects: place.objects,
      logs: place.logs,
      prepare: async ({ runs }) => versions.change(await files.openRuns(runs)),
      replay: (payload, record) => replay(versions, payload, record, options.memtableBytes),
    });
    versions.obsolete.push(...(await durable.orphanTables()));
    return assembleStore({ place, durable, versions, files, options });
  } catch (error) {
    versions.close();
    throw error;
  }
}

function replay(versions: VersionSet, payload: Uint8Array, record: number, bytesMax: number) {
  const { active } = versions;
  decodeCommit(payload, (key, value) => {
    if (value === undefined) active.delete(key, record);
    else active.put(key, value, record);
  });
  if (active.contentBytes >= bytesMax) versions.freeze();
}
