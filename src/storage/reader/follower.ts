/** Follows the newest manifest. One checkpoint is current; older ones live as long as requests read them. */

import type { World } from '#base';
import type { Snapshot } from '../contract/store.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { TableFiles } from '../version/table-files.ts';
import { View } from '../version/view.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { pinNewest } from './pin-newest.ts';
import type { ReaderPlace } from './reader-place.ts';

/**
 * Called with each new state before any request sees it. The returned function is called in the event-loop iteration in which the state
 * becomes current. If the call fails, the reader keeps its state and tries again at the next poll.
 */
export type Prepare = (view: Snapshot) => Promise<() => void>;

interface FollowerParts {
  readonly place: ReaderPlace;
  readonly world: World;
  readonly files: TableFiles;
  /** Pins of this reader. Only this follower changes the set. */
  readonly held: Set<string>;
  readonly prepare: Prepare;
}

export class Follower {
  private readonly parts: FollowerParts;
  private state: Checkpoint | undefined;
  /** Checkpoints that are still in use. */
  private readonly alive = new Set<Checkpoint>();
  private moving: Promise<boolean> | undefined;
  private isClosed = false;
  /** Unneeded pins whose deletion failed so far. */
  private abandoned: string[] = [];

  constructor(parts: FollowerParts) {
    this.parts = parts;
  }

  get current(): Checkpoint {
    if (this.state === undefined) throw this.empty();
    return this.state;
  }

  /** Number of open views of all checkpoints. */
  get views(): number {
    let count = 0;
    for (const { live } of this.alive) count += live.count;
    return count;
  }

  /** Returns a view of the current checkpoint. The caller must release it. */
  view(): Snapshot {
    return this.viewOf(this.current);
  }

  /** Moves to a newer state if there is one, and returns whether it moved. Throws and keeps the state if the store cannot be reached. */
  async advance(): Promise<boolean> {
    if (this.isClosed) return false;
    this.moving ??= this.move().finally(() => {
      this.moving = undefined;
    });
    return this.moving;
  }

  /** Checks that the store still exists. Throws if it cannot be reached, or has been replaced by another one. */
  async look(): Promise<void> {
    const found = await this.parts.place.manifests.newestName();
    if (found === undefined) throw this.state === undefined ? this.empty() : vanished();
    if (found !== this.state?.name) this.refuseOlder(found);
  }

  /** Releases the current checkpoint and deletes all pins, so that reads of open views can fail afterwards. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.moving?.catch(() => {});
    this.state?.version.release();
    this.state = undefined;
    await this.unpin([...this.parts.held, ...this.abandoned]);
  }

  private async move(): Promise<boolean> {
    const { place, world, files, held, prepare } = this.parts;
    if (this.abandoned.length > 0) await this.unpin(this.abandoned);
    const pinned = await pinNewest(place, world, this.state?.name);
    if (pinned === 'none') throw this.state === undefined ? this.empty() : vanished();
    if (typeof pinned === 'string') return false;
    const pin = pinned.pin.name;
    held.add(pin);
    let checkpoint: Checkpoint;
    try {
      this.refuseOlder(pinned.pin.manifest);
      checkpoint = await openCheckpoint(pinned, files, this.state, (gone) => {
        this.alive.delete(gone);
        void this.unpin([pin]);
      });
    } catch (error) {
      await this.unpin([pin]);
      throw error;
    }
    this.alive.add(checkpoint);
    // A writer that takes over starts from the manifest that it found, but the previous writer might have published a newer one. The
    // commits of
    // that manifest are in the log, so a later manifest will contain them.
    if (checkpoint.sequence < (this.state?.sequence ?? 0)) {
      checkpoint.version.release();
      return false;
    }
    await this.install(checkpoint, prepare);
    return true;
  }

  private async install(checkpoint: Checkpoint, prepare: Prepare): Promise<void> {
    const view = this.viewOf(checkpoint);
    try {
      const installed = await prepare(view);
      const former = this.state;
      this.state = checkpoint;
      installed();
      former?.version.release();
    } catch (error) {
      checkpoint.version.release();
      throw error;
    } finally {
      view.release();
    }
  }

  /** Returns a view over its own version only. A newer version might have been compacted without regard to this view. */
  private viewOf({ version, live, sequence }: Checkpoint): Snapshot {
    const { scheduler } = this.parts.world;
    return new View({ current: version }, live, sequence, scheduler);
  }

  private refuseOlder(found: string): void {
    if (this.state === undefined || found > this.state.name) return;
    // Manifest names only grow during the life of a store.
    throw new StorageError({ kind: 'replaced', held: this.state.name, found });
  }

  private async unpin(names: readonly string[]): Promise<void> {
    const { place, held } = this.parts;
    for (const name of names) held.delete(name);
    try {
      await place.objects.delete(names);
      this.abandoned = this.abandoned.filter((name) => !names.includes(name));
    } catch {
      this.abandoned = [...new Set([...this.abandoned, ...names])];
    }
  }

  private empty(): StorageError {
    return new StorageError({ kind: 'empty', place: this.parts.place.name });
  }
}

/** Returns the error for a store without manifests. A directory that was moved or unmounted looks like this, and might come back. */
function vanished(): StorageError {
  return new StorageError({ kind: 'io', operation: 'find a manifest in', object: 'the store' });
}
