/** Opens a store: the place, the newest manifest and the log of a former run become a version set that takes writes again. */

import { hostname } from 'node:os';
import { LsmStore } from './lsm-store.ts';
import { openDurable } from './manifest/open-durable.ts';
import { memoryPlace, openDirectoryPlace, type Place } from './manifest/place.ts';
import type { StoreOptions } from './options.ts';
import { CommitLane, decodeCommit, LiveSequences, WriteHistory } from './transaction/index.ts';
import { VersionSet } from './version-set.ts';

export async function openStore(options: StoreOptions): Promise<LsmStore> {
  const place = await openPlace(options);
  try {
    return await openStoreIn(place, options);
  } catch (error) {
    place.close();
    throw error;
  }
}

async function openPlace(options: StoreOptions): Promise<Place> {
  const { world } = options;
  if (options.storage === 'memory') return memoryPlace();
  const startedUnixMs = world.clock.unixMs();
  const identity = { pid: process.pid, hostname: hostname(), startedUnixMs };
  const place = await openDirectoryPlace({ path: options.path ?? 'svc', world, identity });
  place.announce(options.holderAddress ?? '');
  return place;
}

/** Opens the store in a place that the caller closes when this fails. */
export async function openStoreIn(place: Place, options: StoreOptions): Promise<LsmStore> {
  const { world } = options;
  const versions = new VersionSet();
  const durable = await openDurable({
    world,
    objects: place.objects,
    logs: place.logs,
    prepare: () => {},
    replay: (payload, record) =>
      decodeCommit(payload, (key, value) => {
        if (value === undefined) versions.active.delete(key, record);
        else versions.active.put(key, value, record);
      }),
  });
  const candidates = new LiveSequences();
  const lane = new CommitLane(
    {
      log: durable.log,
      clock: world.clock,
      history: new WriteHistory(durable.log.last),
      candidates,
      apply: (batch, sequence) => versions.apply(batch, sequence),
      acknowledgesEarly: options.commitDurability === 'memory',
    },
    durable.log.last,
  );
  return new LsmStore({ durable, versions, lane, candidates, live: new LiveSequences() });
}
