/**
 * Opens a store in a directory in the order that preserves every acknowledged record (docs/storage-format.md, "Opening"). Opening claims an epoch
 * and reads the newest manifest. The procedure then reads and syncs the log of earlier epochs, publishes how much of it counts, and only then
 * accepts records.
 */

import { type Clock, invariant } from '#base';
import { blame } from '../log/fence.ts';
import type { FenceCheck, RecoveredLog, SegmentLog } from '../log/log.ts';
import type { Durable, DurableOptions } from '../manifest/durable.ts';
import { claimEpoch, fenceCheck } from '../manifest/epoch.ts';
import { type Manifest, type ManifestContents, noManifest } from '../manifest/manifest.ts';
import {
  deleteManifestsBefore,
  loadNewestManifest,
  refuseEmptiedDirectory,
  refuseOlderManifest,
  refuseUnknownTables,
  writeManifest,
} from '../manifest/manifest-store.ts';
import { ObsoleteTables } from '../manifest/obsolete-tables.ts';
import { markEpoch } from '../manifest/opened-marker.ts';
import { begunIn, propertiesBegun, refuseForeign } from '../manifest/store-origin.ts';
import { type Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { epochName, manifestName, tableName } from '../object/names.ts';
import { StorageError, storageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';

export async function openDurable(options: DurableOptions): Promise<Durable> {
  await refuseEmptiedDirectory(options.objects);
  const epoch = await claimEpoch(options.objects, options.world);
  const fenced = fenceCheck(options.objects, epoch);
  try {
    return await openClaimed(options, epoch, fenced);
  } catch (error) {
    if (error instanceof StorageError) throw await blame(fenced, 'open', 'the store', error);
    throw error;
  }
}

async function openClaimed(
  options: DurableOptions,
  epoch: number,
  fenced: FenceCheck,
): Promise<Durable> {
  const { objects, logs, world } = options;
  const { clock } = world;
  const collector = new GarbageCollector(options.garbage ?? objects, clock);
  const found = await loadNewestManifest(objects);
  // The manifest of a later writer would be written again under this epoch, and look like that of another database.
  if (found !== undefined && found.epoch > epoch) {
    throw new StorageError({ kind: 'fenced', epoch, by: found.epoch });
  }
  const newest = found ?? { ...noManifest, properties: propertiesBegun(noManifest, epoch) };
  await refuseOlderManifest(objects, newest);
  await refuseUnknownTables(objects, newest);
  if (found !== undefined) await refuseForeign(objects, found);
  await options.prepare(newest);
  const recovered = await logs.recover({
    epoch,
    sealedBefore: newest.epoch,
    seals: newest.seals,
    begun: begunIn(newest),
    extent: newest.log,
    boundary: newest.boundary,
    replay: options.replay,
  });
  const log = await logs.start(recovered, fenced);
  const extent = log.extent(newest.boundary);
  const first: Manifest = { ...newest, epoch, number: 1, seals: recovered.seals, log: extent };
  try {
    await confirm(objects, first, fenced);
    await markEpoch(objects, world, epoch);
    // Delete manifests first, so that every remaining manifest still has its log and its SSTables.
    await deleteManifestsBefore(collector, first);
    await collector.removeSegments((removed) => log.removeLeftovers(removed));
  } catch (error) {
    await log.close();
    throw storageError('start', 'the log', error);
  }
  return new OpenedDurable({ objects, collector, log, recovered, fenced, clock }, first);
}

/** Writes a manifest. The manifest counts only once it is durable and no other writer had claimed the next epoch after that. */
async function confirm(objects: ObjectStore, manifest: Manifest, fenced: FenceCheck) {
  await writeManifest(objects, manifest);
  const failure = await fenced();
  if (failure !== undefined) throw failure;
}

interface Parts {
  readonly objects: ObjectStore;
  readonly collector: GarbageCollector;
  readonly log: SegmentLog;
  readonly recovered: RecoveredLog;
  readonly fenced: FenceCheck;
  readonly clock: Clock;
}

class OpenedDurable implements Durable {
  readonly epoch: number;
  readonly objects: ObjectStore;
  readonly log: SegmentLog;
  readonly recovered: RecoveredLog;
  readonly fenced: FenceCheck;
  readonly publishIntervalMs = 0;
  manifest: Manifest;
  readonly obsoleteTables: ObsoleteTables;
  private isPublishing = false;
  private restoring: Promise<unknown> = Promise.resolve();
  private failure: StorageError | undefined;

  constructor(parts: Parts, first: Manifest) {
    this.objects = parts.objects;
    this.log = parts.log;
    this.recovered = parts.recovered;
    this.fenced = parts.fenced;
    this.obsoleteTables = new ObsoleteTables({ collector: parts.collector, clock: parts.clock });
    this.epoch = first.epoch;
    this.manifest = first;
  }

  async publish(contents: ManifestContents): Promise<Manifest> {
    // Otherwise a restored manifest could be written below a newer one.
    await this.restoring;
    if (this.failure !== undefined) throw this.failure;
    invariant(!this.isPublishing, 'manifests are published one at a time');
    invariant(contents.boundary >= this.manifest.boundary, 'the log boundary never goes back');
    this.isPublishing = true;
    const seals = this.log.seals.filter((seal) => seal.lastRecord > contents.boundary);
    const log = this.log.extent(contents.boundary);
    const number = this.manifest.number + 1;
    const manifest = { ...contents, epoch: this.epoch, number, seals, log };
    try {
      await confirm(this.objects, manifest, this.fenced);
      this.manifest = manifest;
      return manifest;
    } catch (error) {
      const failure = await blame(this.fenced, 'publish', 'the manifest', error);
      // On a full device not even a name was created, so the publication may be retried.
      if (failure.fault.kind !== 'full') this.failure = failure;
      throw failure;
    } finally {
      this.isPublishing = false;
    }
  }

  restoreManifest(): Promise<string | undefined> {
    const restored = this.restoreMissing();
    this.restoring = restored.catch(() => {});
    return restored;
  }

  private async restoreMissing(): Promise<string | undefined> {
    const { objects, manifest, newest } = this;
    const isThere = (await objects.head(newest)) !== undefined;
    if (isThere || this.isPublishing || this.manifest !== manifest) return undefined;
    if (this.failure !== undefined || (await this.fenced()) !== undefined) return undefined;
    await writeManifest(objects, manifest);
    return newest;
  }

  tableName(file: number): string {
    return tableName(this.epoch, file);
  }

  /**
   * Checks for another writer. The absence of a higher claim proves nothing if this writer's own claim, which is never deleted, is missing.
   */
  async observe(): Promise<StorageError | undefined> {
    const claim = epochName(this.epoch);
    if ((await this.objects.head(claim)) === undefined) {
      throw new StorageError({ kind: 'io', operation: 'find', object: claim });
    }
    return this.fenced();
  }

  collect(tables: readonly Garbage[]): Promise<void> {
    return this.obsoleteTables.collector.sweep(() => this.sweep(tables));
  }

  private async sweep(tables: readonly Garbage[]): Promise<void> {
    const { manifest, newest } = this;
    const { collector } = this.obsoleteTables;
    const { boundary, log: extent } = manifest;
    invariant(extent !== undefined, 'a manifest of this writer contains the extent of the log');
    this.obsoleteTables.add(tables, newest);
    const failure = await this.fenced();
    if (failure !== undefined) throw failure;
    await deleteManifestsBefore(collector, manifest);
    await collector.removeSegments((removed) => this.log.trim(boundary, extent, removed));
    await this.obsoleteTables.sweep(newest);
  }

  async close(): Promise<void> {
    await this.log.close();
    try {
      await this.seal();
    } catch {
      // The next opening then reads the log as after a crash.
    }
  }

  /**
   * Records the end of a log that is closed in order, so that a part that is missing later counts as damage. Otherwise it would look like a
   * group that its writer did not finish.
   */
  private async seal(): Promise<void> {
    if (this.failure !== undefined || this.log.poisoned !== undefined) return;
    const { manifest, log } = this;
    const seals = log.seals.filter((seal) => seal.lastRecord > manifest.boundary);
    const extent = { segment: 0, record: log.durableTo };
    const sealed = { ...manifest, number: manifest.number + 1, seals, log: extent };
    await confirm(this.objects, sealed, this.fenced);
    this.manifest = sealed;
    await deleteManifestsBefore(this.obsoleteTables.collector, sealed);
  }

  get newest(): string {
    return manifestName(this.manifest.epoch, this.manifest.number);
  }
}
