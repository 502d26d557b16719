/**
 * Records of execution models, one per family (docs/decisions/0025). A model is written if it is new, if its plans are corrected, and if its number of
 * executions has grown by a quarter. The same family is therefore written ever less often, however busy the database is.
 */

import type { World } from '#base';
import type { Feedback } from '../feedback/feedback.ts';
import type { Model } from '../feedback/model.ts';
import type { Entry } from './entries.ts';
import { modelKey, modelRange, modelValue, readModel } from './model-record.ts';
import { timeOf } from './record.ts';
import { type Changes, deletionsMax, type Shelf } from './shelf.ts';

/** Maximum size of all records. */
const bytesMax = 16 << 20;
/** Total size of the new records at which a commit is complete. The rest waits for the next commit. */
const flushBytesMax = 1 << 20;
const growthFactor = 1.25;
/** Number of models that are processed between two yields. */
const portion = 64;

interface Stored {
  readonly bytes: number;
  readonly atUnixMs: number;
  readonly family: string;
  readonly executions: number;
  readonly isCorrected: boolean;
}

/** Returns whether a ground, which identifies tables and columns, matches the current ones. */
type GroundCheck = (ground: string) => boolean;

export class ModelShelf implements Shelf {
  readonly range = modelRange;
  private readonly feedback: Feedback;
  private readonly world: Pick<World, 'clock' | 'scheduler'>;
  /** Returns the check for the newest catalog. */
  private readonly grounds: () => GroundCheck;
  /** The stored records, by key in hexadecimal digits. */
  private readonly stored = new Map<string, Stored>();
  private bytes = 0;
  private hasChanged = false;

  constructor(
    feedback: Feedback,
    world: Pick<World, 'clock' | 'scheduler'>,
    grounds: () => GroundCheck,
  ) {
    this.feedback = feedback;
    this.world = world;
    this.grounds = grounds;
    feedback.hold();
  }

  get isPending(): boolean {
    return this.hasChanged;
  }

  onPending(wake: () => void): void {
    this.feedback.changed = () => {
      if (this.hasChanged) return;
      this.hasChanged = true;
      wake();
    };
  }

  see(key: Uint8Array, value: Uint8Array): boolean {
    const name = key.toHex();
    const atUnixMs = timeOf(value);
    if (atUnixMs === undefined) return false;
    if (this.stored.get(name)?.atUnixMs === atUnixMs) return true;
    const state = readModel(key, value);
    if (state === undefined || !this.grounds()(state.ground)) return false;
    const { family, executions, learning } = state;
    const { isCorrected } = learning;
    this.note(name, { bytes: value.length, atUnixMs, family, executions, isCorrected });
    this.feedback.restore(state);
    return true;
  }

  seen(): void {
    this.feedback.loaded();
  }

  async changes(isLast: boolean): Promise<Changes> {
    const { feedback, world } = this;
    this.hasChanged = false;
    feedback.drain();
    const isCurrent = this.grounds();
    const deletions = this.gone(isCurrent);
    const atUnixMs = world.clock.unixMs();
    const puts: Entry[] = [];
    const written: (readonly [string, Stored])[] = [];
    let left = Math.min(flushBytesMax, bytesMax - this.bytes);
    const due = await this.due(isCurrent, isLast);
    for (const [i, { model, key }] of due.entries()) {
      if (i % portion === portion - 1) await world.scheduler.yield();
      if (left <= 0) {
        // The next commit writes the remaining models.
        this.hasChanged = this.bytes < bytesMax;
        break;
      }
      const value = modelValue(model.state(feedback.frequencyOf(model)), atUnixMs);
      if (value === undefined) continue;
      left -= value.length;
      puts.push({ key, value });
      const { family, executions, learning } = model;
      const isCorrected = learning.correction !== 0;
      const bytes = value.length;
      written.push([key.toHex(), { bytes, atUnixMs, family, executions, isCorrected }]);
    }
    const done = () => {
      for (const key of deletions) this.forget(key.toHex());
      for (const [name, stored] of written) this.note(name, stored);
    };
    return { puts, deletions, done };
  }

  /** Returns the keys of evicted models, and of models whose tables have changed. */
  private gone(isCurrent: GroundCheck): readonly Uint8Array[] {
    const keys: Uint8Array[] = [];
    for (const [name, { family }] of this.stored) {
      const model = this.feedback.modelOf(family);
      if (model !== undefined && isCurrent(model.ground)) continue;
      if (keys.length < deletionsMax) keys.push(Uint8Array.fromHex(name));
    }
    return keys;
  }

  /** Returns the models to write: corrected plans first, then by number of executions. */
  private async due(isCurrent: GroundCheck, isLast: boolean) {
    const due: { readonly model: Model; readonly key: Uint8Array }[] = [];
    let looked = 0;
    for (const model of [...this.feedback.models]) {
      if (++looked % portion === 0) await this.world.scheduler.yield();
      if (model.executions === 0 || model.isEvicted) continue;
      const key = modelKey(model.family);
      if (isDue(model, this.stored.get(key.toHex()), isLast) && isCurrent(model.ground)) {
        due.push({ model, key });
      }
    }
    const rank = ({ learning, executions }: Model) =>
      executions + (learning.correction === 0 ? 0 : Number.MAX_SAFE_INTEGER / 2);
    return due.sort((a, b) => rank(b.model) - rank(a.model));
  }

  private note(name: string, stored: Stored): void {
    this.bytes += stored.bytes - (this.stored.get(name)?.bytes ?? 0);
    this.stored.set(name, stored);
  }

  private forget(name: string): void {
    this.bytes -= this.stored.get(name)?.bytes ?? 0;
    this.stored.delete(name);
  }
}

function isDue({ executions, learning }: Model, stored: Stored | undefined, isLast: boolean) {
  if (stored === undefined) return true;
  if (stored.isCorrected !== (learning.correction !== 0)) return true;
  if (executions < stored.executions) return true;
  return executions > stored.executions * (isLast ? 1 : growthFactor);
}
