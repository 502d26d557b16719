/**
 * The collector: takes what executions have to tell without holding them up, folds it into models by family, and publishes once a second what plans
 * learn of it (operations.md §7). What does not find room is dropped and counted.
 */

import type { Scheduler, Timer, World } from '#base';
import { Channel, type Subject } from './channel.ts';
import { Recorder, type Told, type ToldAppearance, type ToldFamily } from './exchange.ts';
import type { Execution, Model } from './model.ts';
import type { ModelState } from './model-state.ts';
import type { Correction, Corrections, Experience, Seen } from './published.ts';
import { Registry } from './registry.ts';

/** From the first of what is in the channel on. */
const drainMs = 20;
const publishMs = 1_000;
/** All frequencies are halved after so many publications. */
const halvingMs = 600 * publishMs;
const relationsMax = 64;

export interface FeedbackLimits {
  /** Capacity of the queue of executions. */
  readonly waitingMax: number;
  /** Number of families with unpublished corrections. */
  readonly pendingMax: number;
}

const usualLimits: FeedbackLimits = { waitingMax: 4_096, pendingMax: 1_024 };

export class Feedback implements Experience {
  /** Executions that were folded into models. */
  absorbed = 0;
  /** Executions whose evidence for plans was not kept, because too many families had some. */
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
  /** Changes when models come from elsewhere: plans that were made before know nothing of them. */
  epoch = 0;
  /** Called when models have changed. */
  changed: () => void = () => {};
  /** Where another process is told of what happens here. */
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

  /** Executions for which there was no room. */
  get dropped(): number {
    return this.channel.dropped;
  }

  /** Executions that were told of, whatever became of them. */
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

  /** In no order, without what waits to be folded in. */
  get models(): Iterable<Model> {
    return this.registry.values();
  }

  /** Most measured first. */
  get tracked(): readonly Model[] {
    this.drain();
    return [...this.registry.values()].sort((a, b) => b.executions - a.executions);
  }

  /** The model of a statement, for who wants to know how much is known of it. */
  modelOf(family: string): Model | undefined {
    return this.registry.get(family);
  }

  /** Takes an execution; the subject says of what. Never waits. */
  offer(
    subject: Subject,
    rows: number,
    micros: number | undefined,
    variant: number,
    observations: Execution['observations'],
    work: Execution['work'],
  ): void {
    this.channel.offer(subject, rows, micros, variant, observations, work);
    if (this.timer === undefined && !this.isStopped) this.wakeAfter(drainMs);
  }

  /** An answer of the family was known: so many rows, of which nobody knows how long they took. */
  appeared(family: string, rows: number): void {
    this.recorder?.appeared(family, rows);
    const model = this.registry.get(family);
    if (model === undefined) return;
    this.registry.appeared(model);
    model.appeared(rows);
  }

  /** What happens from now on waits for `loaded`: models that are kept come first. */
  hold(): void {
    this.isHeld = true;
  }

  /** All models that are kept were restored. */
  loaded(): void {
    this.isHeld = false;
    if (this.hasRestored) this.epoch++;
    this.hasRestored = false;
    this.publish();
  }

  /** Takes a model from elsewhere. Of one that was executed here nothing is taken but what plans learn, and that only where nothing was learned here. */
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

  /** From now on what happens here is kept for another process, until it is taken. */
  record(): void {
    this.recorder ??= new Recorder();
  }

  /** What has happened since it was asked last; undefined: nothing, or nobody records. */
  takeTold(): Told | undefined {
    this.drain();
    return this.recorder?.take();
  }

  /** Executions and appearances that another process is not told of, for want of room. */
  get untold(): number {
    return this.recorder?.dropped ?? 0;
  }

  /** Folds in what another process has executed, on tables as they are now. */
  absorb(told: ToldFamily, relationOf: Subject['relationOf']): void {
    const { family, ground, stamp, plan, executions } = told;
    const subject = { family, ground, stamp, plan, relationOf, model: undefined, isForeign: true };
    for (const execution of executions) this.fold(subject, execution);
    if (this.pending.size > 0 && this.timer === undefined && !this.isStopped) {
      this.wakeAfter(publishMs);
    }
  }

  /** Another process has given an answer that was known. */
  absorbAppearance({ family, rows, count }: ToldAppearance): void {
    const model = this.registry.get(family);
    if (model === undefined) return;
    this.registry.appeared(model, count);
    model.appeared(rows);
  }

  /** Nothing is done in the background any more. */
  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Folds what has come into models. */
  drain(): void {
    if (this.isHeld) return;
    this.halve();
    this.channel.drain((subject, measured) => {
      this.recorder?.add(subject, measured);
      this.fold(subject, measured);
    });
  }

  /** From now on plans learn what was folded. */
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

  private fold(subject: Subject, measured: Execution): void {
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

  private foldRelations(subject: Subject, measured: Execution): void {
    const { registry } = this;
    const { variant, observations } = measured;
    for (const observation of observations.slice(0, relationsMax)) {
      const { part, actual, estimated, isCut } = observation;
      const relation = registry.of('relation', subject.relationOf(part));
      registry.appeared(relation);
      // There may be more rows of it than were wanted.
      if (isCut && actual < estimated) continue;
      const alone = [observation];
      const execution = { rows: actual, micros: undefined, variant, work: undefined };
      relation.add(subject, { ...execution, observations: alone });
    }
  }

  private learn({ stamp, isForeign }: Subject, model: Model, { observations }: Execution): void {
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
