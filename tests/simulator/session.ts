/** An open store, and what the model knows of it. */

import type { ReadView } from '#storage';
import type { LsmStore } from '../../src/storage/assembly/lsm-store.ts';
import type { Dice } from './dice.ts';
import type { Commit, History, Writes } from './history.ts';
import type { Keys } from './keys.ts';
import type { Life } from './life.ts';
import { ask, describe, expected, type Question } from './questions.ts';
import { anyRow } from './rows.ts';
import type { Scheduler } from './scheduler.ts';
import type { Swarm } from './swarm.ts';
import { Wrong } from './wrong.ts';

export interface SessionParts {
  readonly store: LsmStore;
  readonly life: Life;
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly keys: Keys;
  readonly dice: Dice;
  /** For what transactions take back. */
  readonly undoDice: Dice;
  readonly settings: Swarm;
  /** Openings are numbered in the order of their epochs. */
  readonly order: number;
  readonly recovered: Commit;
  /** Takes what the store failed with. */
  readonly excused: (error: unknown) => void;
}

const nothing: Writes = new Map();

export class Session {
  readonly store: LsmStore;
  readonly history: History;
  readonly keys: Keys;
  readonly dice: Dice;
  readonly undoDice: Dice;
  readonly settings: Swarm;
  readonly life: Life;
  /** The newest commit that this store has applied. */
  tip: Commit;
  readonly excused: (error: unknown) => void;
  private readonly scheduler: Scheduler;
  private readonly order: number;
  private values = 0;
  /** Where programs are kept, if they are. */
  capture: { offer(): void } | undefined;

  constructor(parts: SessionParts) {
    this.store = parts.store;
    this.history = parts.history;
    this.keys = parts.keys;
    this.dice = parts.dice;
    this.undoDice = parts.undoDice;
    this.settings = parts.settings;
    this.life = parts.life;
    this.scheduler = parts.scheduler;
    this.order = parts.order;
    this.tip = parts.recovered;
    this.excused = parts.excused;
  }

  /** The next commit, which goes to the log now: from here on it may be found there, though nobody sees it before it is applied. */
  decided(writes: Writes): Commit {
    return this.history.append(this.tip, this.life.name, writes);
  }

  applied(commit: Commit): void {
    if (commit.parent !== this.tip) throw new Wrong(`${commit.sequence} is applied after another`);
    this.tip = commit;
  }

  told(commit: Commit, what: string): void {
    this.scheduler.trace(`${what} ${commit.sequence}`);
    this.history.told(commit, this.order, what);
  }

  /** `view` must show what `commit` made. */
  async check(view: ReadView, commit: Commit, question: Question): Promise<void> {
    const answer = await ask(this.keys, view, question, commit.state);
    const right = expected(this.keys, commit.state, nothing, question);
    if (answer === right) return;
    const { sequence } = commit;
    throw new Wrong(`${describe(question)} of a view at ${sequence}: ${answer}, not ${right}`);
  }

  pause(ms: number): Promise<void> {
    return this.scheduler.wait(ms, this.life, 'think');
  }

  /** Different from every other one of this seed, now and then a large one. */
  anyValue(dice = this.dice): Uint8Array {
    const head = `${this.life.name}-${++this.values}`;
    const length = dice.chance(this.settings.largeValues)
      ? dice.between(1_000, 20_000)
      : dice.below(this.settings.valueBytes);
    if (this.settings.holdsRows) return anyRow(dice, head, length);
    return Buffer.from(head.padEnd(length, '.'));
  }
}
