/**
 * The collector of cardinality feedback. The collector receives executions without delaying them, folds them into models by family, and publishes
 * the corrections for plans once a second (docs/statistics.md). Executions beyond a limit are dropped and counted.
 */

import type { Scheduler, Timer, World } from '#base';
import { Channel, type Subject } from './channel.ts';
import { Recorder, type Told, type ToldAppearance, type ToldFamily } from './exchange.ts';
import type { ExecutionSample, Model } from './model.ts';
import type { ModelState } from './model-state.ts';
import type { Correction, Corrections, PlanFeedback, Seen } from './published.ts';
import { Registry } from './registry.ts';

/** Delay between the first execution in the queue and its processing. */
const drainMs = 20;
const publishMs = 1_000;
/** Interval at which all frequencies are halved. */
const halvingMs = 600 * publishMs;
const relationsMax = 64;

export interface FeedbackLimits {
  /** Capacity of the queue of executions. */
  readonly waitingMax: number;
  /** Maximum number of families with unpublished corrections. */
  readonly pendingMax: number;
}

const usualLimits: FeedbackLimits = { waitingMax: 4_096, pendingMax: 1_024 };

export class Feedback implements PlanFeedback {
  /** Number of executions that were folded into models. */
  absorbed = 0;
  /** Number of executions from which plans learn nothing, because too many families had unpublished corrections. */
  shed = 0;
  private readonly clock: World['clock'];
  private readonly scheduler: Scheduler;
  private readonly registry = new Registry();
  private readonly channel: Channel;
  private readonly pendingMax: number;
  private readonly pending = new Set<Model>();
  private corrections: Corrections = new Map();
  private correctionsMade = 0;
  private timer: Timer | undefined;
  private publishedMs: number;
  private halvedMs: number;
  private evictedThen = 0;
  private isStopped = false;
  private isHeld = false;
  private hasRestored = false;
  /** Number that changes when models are restored from elsewhere. Earlier plans were made without them. */
  epoch = 0;
  /** Called after models have changed. */
  changed: () => void = () => {};
  /** Records executions for another process; `undefined` until `record` is called. */
  private recorder: Recorder | undefined;

  constructor(
    { clock, scheduler }: Pick<World, 'clock' | 'scheduler'>,
    { waitingMax, pendingMax }: FeedbackLimits = usualLimits,
  ) {
    this.channel = new Channel(waitingMax);
    this.pendingMax = pendingMax;
    this.clock = clock;
    this.scheduler = scheduler;
    this.publishedMs = clock.monotonicMs();
    this.halvedMs = this.publishedMs;
  }

  correctionOf(family: string): number {
    return this.corrections.get(family)?.number ?? 0;
  }

  seenBy(family: string): Seen | undefined {
    return this.corrections.get(family)?.seen;
  }

  /** Number of executions that were dropped because the queue was full. */
  get dropped(): number {
    return this.channel.dropped;
  }

  /** Number of executions that were offered, including dropped ones. */
  get seen(): number {
    return this.channel.offered;
  }

  get evicted(): number {
    return this.registry.evicted;
  }

  get modelCount(): number {
    return this.registry.size;
  }

  frequencyOf(model: Model): number {
    return this.registry.frequencyOf(model);
  }

  /** All models in no particular order. Executions in the queue are not included. */
  get models(): Iterable<Model> {
    return this.registry.values();
  }

  /** All models including queued executions, by descending number of executions. */
  get tracked(): readonly Model[] {
    this.drain();
    return [...this.registry.values()].sort((a, b) => b.executions - a.executions);
  }

  /** Returns the model of a statement; `undefined` if there is none. */
  modelOf(family: string): Model | undefined {
    return this.registry.get(family);
  }

  /** Takes an execution of `subject`. Never waits. */
  offer(
    subject: Subject,
    rows: number,
    micros: number | undefined,
    variant: number,
    observations: ExecutionSample['observations'],
    work: ExecutionSample['work'],
  ): void {
    this.channel.offer(subject, rows, micros, variant, observations, work);
    if (this.timer === undefined && !this.isStopped) this.wakeAfter(drainMs);
  }

  /** Counts a result that was served from the cache, so its execution time is unknown. */
  appeared(family: string, rows: number): void {
    this.recorder?.appeared(family, rows);
    const model = this.registry.get(family);
    if (model === undefined) return;
    this.registry.appeared(model);
    model.appeared(rows);
  }

  /** Delays the processing of executions until `loaded` is called, so that stored models are restored first. */
  hold(): void {
    this.isHeld = true;
  }

  /** Called after all stored models were restored. */
  loaded(): void {
    this.isHeld = false;
    if (this.hasRestored) this.epoch++;
    this.hasRestored = false;
    this.publish();
  }

  /** Restores a model from the store or another process. If this process has executed it, only the learning is restored, and only if the model has no correction. */
  restore(state: ModelState): void {
    this.hasRestored = true;
    const { registry } = this;
    const known = registry.get(state.family);
    const model = known ?? registry.of(state.kind, state.family);
    if (known === undefined || known.isRestored) {
      model.restore(state);
      if (known === undefined) registry.appeared(model, state.frequency);
    } else if (model.ground !== state.ground) return;
    const { learning } = model;
    if (learning.correction !== 0 && learning.state.stamp === state.learning.stamp) return;
    if (learning.correction !== 0 && !model.isRestored) return;
    learning.restore(state.learning, ++this.correctionsMade);
    if (this.pending.size >= this.pendingMax) this.publish();
    this.pending.add(model);
  }

  /** Starts to record executions for another process, until they are taken. */
  record(): void {
    this.recorder ??= new Recorder();
  }

  /** Returns the executions since the last call; `undefined` if there are none or if nothing is recorded. */
  takeTold(): Told | undefined {
    this.drain();
    return this.recorder?.take();
  }

  /** Number of executions and appearances that were not recorded for another process because of a limit. */
  get untold(): number {
    return this.recorder?.dropped ?? 0;
  }

  /** Folds in executions of another process. The caller must have checked that their ground matches the current tables. */
  absorb(told: ToldFamily, relationOf: Subject['relationOf']): void {
    const { family, ground, stamp, plan, executions } = told;
    const subject = { family, ground, stamp, plan, relationOf, model: undefined, isForeign: true };
    for (const execution of executions) this.fold(subject, execution);
    if (this.pending.size > 0 && this.timer === undefined && !this.isStopped) {
      this.wakeAfter(publishMs);
    }
  }

  /** Counts a cached result that another process has served. */
  absorbAppearance({ family, rows, count }: ToldAppearance): void {
    const model = this.registry.get(family);
    if (model === undefined) return;
    this.registry.appeared(model, count);
    model.appeared(rows);
  }

  /** Stops the background work. */
  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Folds the queued executions into models. */
  drain(): void {
    if (this.isHeld) return;
    this.halve();
    this.channel.drain((subject, measured) => {
      this.recorder?.add(subject, measured);
      this.fold(subject, measured);
    });
  }

  /** Publishes the corrections, so that plans use them. */
  publish(): void {
    this.drain();
    this.publishedMs = this.clock.monotonicMs();
    const { evicted } = this.registry;
    if (this.pending.size === 0 && evicted === this.evictedThen) return;
    this.evictedThen = evicted;
    const next = new Map<string, Correction>(this.corrections);
    for (const { family, learning, isEvicted } of this.pending) {
      if (isEvicted || learning.correction === 0) next.delete(family);
      else next.set(family, { number: learning.correction, seen: learning.seenRows });
    }
    this.pending.clear();
    for (const family of next.keys()) {
      if (this.registry.get(family) === undefined) next.delete(family);
    }
    this.corrections = next;
  }

  private wakeAfter(ms: number): void {
    this.timer = this.scheduler.after(ms, () => {
      this.timer = undefined;
      this.drain();
      const leftMs = this.publishedMs + publishMs - this.clock.monotonicMs();
      if (leftMs <= 0) this.publish();
      else if (this.pending.size > 0) this.wakeAfter(leftMs);
    });
  }

  private fold(subject: Subject, measured: ExecutionSample): void {
    const model = this.statementOf(subject);
    const { registry } = this;
    registry.appeared(model);
    model.add(subject, measured);
    this.absorbed++;
    this.changed();
    if (measured.observations.length === 0) return;
    this.foldRelations(subject, measured);
    this.learn(subject, model, measured);
  }

  private statementOf(subject: Subject): Model {
    const { model } = subject;
    if (model !== undefined && !model.isEvicted) return model;
    subject.model = this.registry.of('statement', subject.family);
    return subject.model;
  }

  private foldRelations(subject: Subject, measured: ExecutionSample): void {
    const { registry } = this;
    const { variant, observations } = measured;
    for (const observation of observations.slice(0, relationsMax)) {
      const { part, actual, estimated, isCut } = observation;
      const relation = registry.of('relation', subject.relationOf(part));
      registry.appeared(relation);
      // The relation may have more rows than the operators above requested.
      if (isCut && actual < estimated) continue;
      const alone = [observation];
      const execution = { rows: actual, micros: undefined, variant, work: undefined };
      relation.add(subject, { ...execution, observations: alone });
    }
  }

  private learn(
    { stamp, isForeign }: Subject,
    model: Model,
    { observations }: ExecutionSample,
  ): void {
    if (!this.pending.has(model) && this.pending.size >= this.pendingMax) {
      this.shed++;
      return;
    }
    const { learning } = model;
    const before = learning.correction;
    if (learning.add(stamp, observations, isForeign)) learning.correction = ++this.correctionsMade;
    if (learning.correction !== before) this.pending.add(model);
  }

  private halve(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.halvedMs < halvingMs) return;
    this.halvedMs = nowMs;
    this.registry.halve();
  }
}
