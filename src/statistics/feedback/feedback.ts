/** How estimates have turned out, by family of statements: plans of a family that missed twice are made once more, with what was seen. */

import type { Clock } from '#base';
import { type Execution, Model } from './model.ts';

/** Rows that parts of a query have had, by part. */
export type Seen = Pick<ReadonlyMap<string, number>, 'get'>;

/** What planners ask. */
export interface Experience {
  /** No family has anything to tell. */
  readonly isEmpty: boolean;
  /** Number of the correction that plans of the family are made with; 0: none. */
  correctionOf(family: string): number;
  seenBy(family: string): Seen | undefined;
}

const modelsMax = 4_096;
/** All frequencies are halved so often: 600 publishes of a second. */
const halvingMs = 600_000;

export class Feedback implements Experience {
  /** Executions that were folded into models. */
  absorbed = 0;
  /** Models that were dropped to keep within bounds. */
  evicted = 0;
  private readonly clock: Clock;
  private readonly models = new Map<string, Model>();
  /** By family. */
  private readonly corrected = new Map<string, ReadonlyMap<string, number>>();
  private corrections = 0;
  private halvedMs: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.halvedMs = clock.monotonicMs();
  }

  get isEmpty(): boolean {
    return this.corrected.size === 0;
  }

  /** Most executed first. */
  get tracked(): readonly Model[] {
    return [...this.models.values()].sort((a, b) => b.executions - a.executions);
  }

  correctionOf(family: string): number {
    return this.models.get(family)?.correction ?? 0;
  }

  seenBy(family: string): ReadonlyMap<string, number> | undefined {
    return this.corrected.get(family);
  }

  add(family: string, execution: Execution): void {
    this.halve();
    this.absorbed++;
    let model = this.models.get(family);
    if (model === undefined) {
      if (this.models.size >= modelsMax) this.evict();
      model = new Model(family);
      this.models.set(family, model);
    }
    const isDue = model.add(execution);
    if (model.correction === 0) this.corrected.delete(family);
    if (!isDue) return;
    model.correction = ++this.corrections;
    this.corrected.set(family, model.seenRows);
  }

  /** The coldest goes: by frequency, executions, name. */
  private evict(): void {
    let coldest: Model | undefined;
    for (const model of this.models.values()) {
      if (coldest === undefined || isColder(model, coldest)) coldest = model;
    }
    if (coldest === undefined) return;
    this.models.delete(coldest.family);
    this.corrected.delete(coldest.family);
    this.evicted++;
  }

  private halve(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.halvedMs < halvingMs) return;
    this.halvedMs = nowMs;
    for (const model of this.models.values()) model.frequency = Math.floor(model.frequency / 2);
  }
}

function isColder(a: Model, b: Model): boolean {
  return (
    (a.frequency - b.frequency || a.executions - b.executions || (a.family < b.family ? -1 : 1)) < 0
  );
}
