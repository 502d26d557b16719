/** Follows the newest manifest: one checkpoint is current, older ones live as long as somebody reads them. */

import type { World } from '#base';
import type { Snapshot } from '../contract/store.ts';
import { StorageError } from '../object/trouble.ts';
import type { TableFiles } from '../version/table-files.ts';
import { View } from '../version/view.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { pinNewest } from './pin-newest.ts';
import type { ReaderPlace } from './reader-place.ts';

/**
 * Told each state before anybody else sees it; what it returns is called in the turn in which the state becomes the current one. When it
 * fails, the reader stays where it is, and tries again at the next poll.
 */
export type Prepare = (view: Snapshot) => Promise<() => void>;

interface FollowerParts {
  readonly place: ReaderPlace;
  readonly world: World;
  readonly files: TableFiles;
  /** Pins that this reader has; changed by this follower alone. */
  readonly held: Set<string>;
  readonly prepare: Prepare;
}

export class Follower {
  private readonly parts: FollowerParts;
  private state: Checkpoint | undefined;
  /** States that somebody holds. */
  private readonly alive = new Set<Checkpoint>();
  private moving: Promise<boolean> | undefined;
  private isClosed = false;
  /** Pins that are not needed any more and could not be deleted yet. */
  private abandoned: string[] = [];

  constructor(parts: FollowerParts) {
    this.parts = parts;
  }

  get current(): Checkpoint {
    if (this.state === undefined) throw this.empty();
    return this.state;
  }

  /** Views that are open, of all states. */
  get views(): number {
    let count = 0;
    for (const { live } of this.alive) count += live.count;
    return count;
  }

  /** The current state. */
  view(): Snapshot {
    return this.viewOf(this.current);
  }

  /** Moves on when there is something newer, and says whether there was. Throws when the store cannot be asked, and stays. */
  async advance(): Promise<boolean> {
    if (this.isClosed) return false;
    this.moving ??= this.move().finally(() => {
      this.moving = undefined;
    });
    return this.moving;
  }

  /** Looks whether the store is still there. Throws when it cannot be asked, or is another one. */
  async look(): Promise<void> {
    const found = await this.parts.place.manifests.newestName();
    if (found === undefined) throw this.state === undefined ? this.empty() : vanished();
    if (found !== this.state?.name) this.refuseOlder(found);
  }

  /** Gives up everything; views that are still open end with it. */
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
    // A writer that took over begins with the manifest that it found, while the one before it may have published another: what was shown
    // since is in the log, and comes with a later manifest.
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

  /** Each checkpoint is read as it is: what a newer one has may have been merged without knowing of this view. */
  private viewOf({ version, live, sequence }: Checkpoint): Snapshot {
    return new View({ current: version }, live, sequence);
  }

  private refuseOlder(found: string): void {
    if (this.state === undefined || found > this.state.name) return;
    // Names only grow in the life of a store.
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

/** A directory that is moved or unmounted looks like this, and may come back. */
function vanished(): StorageError {
  return new StorageError({ kind: 'io', operation: 'find a manifest in', object: 'the store' });
}
