/** Opens a store: the place, the newest manifest and the log of a former run become a store that takes writes again. */

import { hostname } from 'node:os';
import { Background } from './background.ts';
import { Flusher } from './flusher.ts';
import { LsmStore } from './lsm-store.ts';
import type { Durable } from './manifest/durable.ts';
import type { Manifest } from './manifest/manifest.ts';
import { openDurable } from './manifest/open-durable.ts';
import { memoryPlace, openDirectoryPlace, type Place } from './manifest/place.ts';
import type { OpenRun } from './open-run.ts';
import { type CompleteOptions, type StoreOptions, withDefaults } from './options.ts';
import { Pressure } from './pressure.ts';
import { Publisher } from './publisher.ts';
import { tableDefaults } from './table/table-options.ts';
import { TableFiles } from './table-files.ts';
import { CommitLane, decodeCommit, LiveSequences, WriteHistory } from './transaction/index.ts';
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
  const durable = await openDurable({
    world: options.world,
    objects: place.objects,
    logs: place.logs,
    prepare: async (manifest) => versions.change(await openRuns(files, manifest)),
    replay: (payload, record) => replay(versions, payload, record, options.memtableBytes),
  });
  versions.obsolete.push(...(await durable.orphanTables()));
  return assemble({ place, durable, versions, files, options });
}

async function openRuns(files: TableFiles, manifest: Manifest): Promise<OpenRun[]> {
  const runs: OpenRun[] = [];
  for (const run of manifest.runs) runs.push(await files.openRun(run));
  return runs;
}

function replay(versions: VersionSet, payload: Uint8Array, record: number, bytesMax: number) {
  const { active } = versions;
  decodeCommit(payload, (key, value) => {
    if (value === undefined) active.delete(key, record);
    else active.put(key, value, record);
  });
  if (active.contentBytes >= bytesMax) versions.freeze();
}

interface Opened {
  readonly place: Place;
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly files: TableFiles;
  readonly options: CompleteOptions;
}

function assemble(opened: Opened): LsmStore {
  const { place, durable, versions, options } = opened;
  const { world } = options;
  const candidates = new LiveSequences();
  const live = new LiveSequences();
  const { log } = durable;
  const lane = new CommitLane(
    {
      log,
      clock: world.clock,
      history: new WriteHistory(log.last),
      candidates,
      apply(batch, sequence) {
        versions.apply(batch, sequence);
        background.committed();
      },
      acknowledgesEarly: options.commitDurability === 'memory',
    },
    log.last,
  );
  const background = backgroundOf(opened, live, (error) => lane.poison(error));
  const writePressure = new Pressure(options, background, world);
  background.start();
  return new LsmStore({
    place,
    durable,
    versions,
    lane,
    candidates,
    live,
    background,
    writePressure,
  });
}

function backgroundOf(
  { durable, versions, files, options }: Opened,
  live: LiveSequences,
  failed: (error: Error) => void,
): Background {
  const { world, blockBytes, bloomBitsPerKey, filterKeysMin, codecs } = options;
  const publisher = new Publisher(durable, versions);
  const tables = { ...tableDefaults, blockBytes, bloomBitsPerKey, filterKeysMin, codecs };
  const snapshots = () => live.distinct();
  const flusher = new Flusher({ world, durable, versions, publisher, files, tables, snapshots });
  return new Background({
    versions,
    log: durable.log,
    flusher,
    publisher,
    memtableBytes: options.memtableBytes,
    logBytesBeforeFlush: options.logBytesBeforeFlush,
    failed,
  });
}
