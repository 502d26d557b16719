/** An opened store in a bucket. Publishes numbered manifests and deletes the objects that the newest confirmed manifest made garbage. */

import { invariant, type World } from '#base';
import { blame } from '../log/fence.ts';
import type { RecoveredLog } from '../log/log.ts';
import type { Durable } from '../manifest/durable.ts';
import type { Manifest, ManifestContents } from '../manifest/manifest.ts';
import { encodeManifestObject } from '../manifest/manifest-object.ts';
import { ObsoleteTables } from '../manifest/obsolete-tables.ts';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { bucketManifestName, bucketTableName, numberOf, prefixes } from '../object/names.ts';
import type { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { type Claim, overtaken } from './claim.ts';
import { createOnce, drawNonce } from './create-once.ts';
import { fenceBytes } from './log-object.ts';
import type { ObjectLog } from './object-log.ts';
import { retryWhileUnavailable } from './retry.ts';

interface BucketParts {
  readonly objects: ObjectStore;
  readonly collector: GarbageCollector;
  readonly world: World;
  readonly claim: Claim;
  readonly log: ObjectLog;
  readonly replayedRecords: number;
  readonly publishIntervalMs: number;
}

export class BucketDurable implements Durable {
  readonly epoch: number;
  readonly objects: ObjectStore;
  readonly log: ObjectLog;
  readonly recovered: RecoveredLog;
  readonly publishIntervalMs: number;
  manifest: Manifest;
  private readonly world: World;
  readonly obsoleteTables: ObsoleteTables;
  /** The log boundary of `manifest`. */
  private logBoundary: number;
  private manifestBytes: number;
  /** Manifests below `manifest` that might still exist. */
  private older: Garbage[];
  /** True until the log objects that an earlier writer left below the boundary have been deleted. */
  private hasLeftovers = true;
  /**
   * Number of the manifest that is being published. The number stays set after a failure, since that manifest might exist and would be this
   * writer's own.
   */
  private publishing: number | undefined;
  private restoring: Promise<unknown> = Promise.resolve();
  private failure: StorageError | undefined;

  constructor(parts: BucketParts) {
    const { objects, collector, world, claim, log, replayedRecords } = parts;
    this.publishIntervalMs = parts.publishIntervalMs;
    this.epoch = claim.manifest.epoch;
    this.objects = objects;
    this.world = world;
    this.log = log;
    this.manifest = claim.manifest;
    this.logBoundary = claim.logBoundary;
    this.manifestBytes = claim.bytes;
    this.older = [...claim.older];
    this.obsoleteTables = new ObsoleteTables({ collector, clock: world.clock });
    this.recovered = {
      epoch: this.epoch,
      seals: [],
      lastRecord: log.last,
      lastCrc: 0,
      torn: undefined,
      replayedRecords,
    };
  }

  async publish(contents: ManifestContents): Promise<Manifest> {
    // Otherwise a restored manifest could be created below a newer one.
    await this.restoring;
    if (this.failure !== undefined) throw this.failure;
    invariant(this.publishing === undefined, 'manifests are published one at a time');
    invariant(contents.boundary >= this.manifest.boundary, 'the log boundary never goes back');
    const number = this.manifest.number + 1;
    this.publishing = number;
    try {
      const log = { segment: 0, record: this.log.durableTo };
      const manifest = { ...contents, epoch: this.epoch, number, seals: [], log };
      const logBoundary = this.log.boundaryOf(contents.boundary);
      const bytes = await this.create(manifest, logBoundary);
      this.older.push({ name: this.newest, bytes: this.manifestBytes });
      this.manifestBytes = bytes;
      this.manifest = manifest;
      this.logBoundary = logBoundary;
      this.publishing = undefined;
      return manifest;
    } catch (error) {
      this.failure = await blame(() => this.fenced(), 'publish', 'the manifest', error);
      throw this.failure;
    }
  }

  restoreManifest(): Promise<string | undefined> {
    const restored = this.restoreMissing();
    this.restoring = restored.catch(() => {});
    return restored;
  }

  private async restoreMissing(): Promise<string | undefined> {
    const { objects, manifest, logBoundary, newest } = this;
    const isThere = (await objects.head(newest)) !== undefined;
    if (isThere || this.publishing !== undefined || this.manifest !== manifest) return undefined;
    if (this.failure !== undefined || (await this.fenced()) !== undefined) return undefined;
    await this.create(manifest, logBoundary);
    return newest;
  }

  /**
   * Returns why this writer is fenced; `undefined` if it is not. A manifest above the last one that this process published or is publishing
   * belongs to another writer.
   */
  async fenced(): Promise<StorageError | undefined> {
    for (;;) {
      const past = this.highest;
      const failure = await overtaken(this.objects, this.epoch, past);
      // A manifest that this process published during the listing is its own.
      if (failure === undefined || past === this.highest) return failure;
    }
  }

  /** Checks for another writer only: requests to a deleted bucket fail anyway. */
  observe(): Promise<StorageError | undefined> {
    return this.fenced();
  }

  /** Returns a name with random digits, which keep names unique even if the history of the bucket was copied or set back. */
  tableName(file: number): string {
    const chance = Buffer.from(this.world.random.fill(new Uint8Array(4))).toString('hex');
    return bucketTableName(this.epoch, file, chance);
  }

  /** Deletes garbage. These objects stay garbage permanently, so the epoch is not checked again. */
  collect(tables: readonly Garbage[]): Promise<void> {
    return this.obsoleteTables.collector.sweep(() => this.sweep(tables));
  }

  private async sweep(tables: readonly Garbage[]): Promise<void> {
    const { logBoundary, newest } = this;
    this.obsoleteTables.add(tables, newest);
    if (this.failure !== undefined) throw this.failure;
    // Delete manifests first, so that every remaining manifest still has its log and its SSTables.
    const older = this.older.slice();
    if (older.length > 0) await this.obsoleteTables.collector.delete(older);
    this.older = this.older.slice(older.length);
    await this.log.trim(logBoundary);
    if (this.hasLeftovers) await this.removeLeftovers(logBoundary);
    await this.obsoleteTables.sweep(newest);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private get highest(): number {
    return this.publishing ?? this.manifest.number;
  }

  get newest(): string {
    return bucketManifestName(this.manifest.number);
  }

  /** Creates the manifest object and returns its size in bytes. */
  private async create(manifest: Manifest, logBoundary: number): Promise<number> {
    const { objects, world, epoch } = this;
    const { number } = manifest;
    const bytes = encodeManifestObject({ manifest, logBoundary }, drawNonce(world));
    const creation = await createOnce(objects, world, bucketManifestName(number), bytes);
    // The creation alone does not prove ownership: the number might have been collected, and created again here.
    const past = creation.kind === 'taken' ? number - 1 : number;
    const failure = await retryWhileUnavailable(world, () => overtaken(objects, epoch, past));
    if (failure !== undefined) throw failure;
    invariant(creation.kind === 'won', 'a manifest number that is taken is listed');
    return bytes.length;
  }

  /** Deletes log groups that an earlier writer flushed to SSTables but did not delete. Fences stay; they are recognized by their size. */
  private async removeLeftovers(logBoundary: number): Promise<void> {
    const left: Garbage[] = [];
    for (const { name, bytes } of await this.obsoleteTables.collector.list(prefixes.log)) {
      const id = numberOf(name);
      if (id !== undefined && id <= logBoundary && bytes > fenceBytes) left.push({ name, bytes });
    }
    if (left.length > 0) await this.obsoleteTables.collector.delete(left);
    this.hasLeftovers = false;
  }
}
