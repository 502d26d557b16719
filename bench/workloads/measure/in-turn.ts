/** Engines answer one question in turn, round by round. */

import { agree } from '../answers.ts';
import { type Engine, reasonOf } from '../engines/engine.ts';
import type { Question } from '../question.ts';
import { median, type Outcome } from './outcome.ts';

export interface Pace {
  /** In one round, an engine answers until so much time has passed, and at least once. */
  readonly roundMs: number;
  /** Before its first round an engine answers that long, unless its first answer took longer. */
  readonly warmUpMs: number;
  readonly roundsMin: number;
  readonly roundsMax: number;
  /** Rounds of changes and of loads, which take as long as all questions together. */
  readonly changeRounds: number;
}

/** After `roundsMin` rounds an engine may stop at the first time, and after one round at the second. */
const enoughMs = 1_500;
const tooMuchMs = 20_000;

/** The first answers are compared. A first answer that took longer counts as a round, because it did not lack a warm-up. */
const warmMs = 5_000;

const rowsOfAllChanges = 3_000_000;

export function paceOf(rows: number): Pace {
  const changeRounds = Math.max(1, Math.min(3, Math.floor(rowsOfAllChanges / rows)));
  return { roundMs: 60, warmUpMs: 500, roundsMin: 3, roundsMax: 9, changeRounds };
}

class Contender {
  readonly engine: Engine;
  readonly times: number[] = [];
  problem: string | undefined;
  requests = 0;
  firstMs = 0;
  readonly #pace: Pace;
  #spentMs = 0;

  constructor(engine: Engine, pace: Pace) {
    this.engine = engine;
    this.#pace = pace;
  }

  get isFinished(): boolean {
    const { roundsMin, roundsMax } = this.#pace;
    if (this.problem !== undefined || this.times.length >= roundsMax) return true;
    if (this.times.length >= roundsMin) return this.#spentMs >= enoughMs;
    return this.times.length > 0 && this.#spentMs >= tooMuchMs;
  }

  get outcome(): Outcome {
    return this.problem === undefined ? { times: this.times } : { problem: this.problem };
  }

  /** Returns the answer, or undefined with the problem noted. */
  async ask(question: Pick<Question, 'program' | 'sql'>, turn: number): Promise<unknown> {
    this.requests++;
    try {
      return await this.engine.ask(question, turn);
    } catch (error) {
      this.problem = reasonOf(error);
      return undefined;
    }
  }

  note(ms: number): void {
    this.times.push(ms);
    this.#spentMs += ms;
  }

  async round(question: Question): Promise<void> {
    const from = performance.now();
    const asked = await this.#askFor(question, this.#pace.roundMs);
    this.times.push(median(asked));
    this.#spentMs += performance.now() - from;
  }

  /** Follows the first answer. A new process has not compiled its code yet. */
  async warmUp(question: Question): Promise<void> {
    if (this.problem !== undefined) return;
    if (this.firstMs > warmMs) this.note(this.firstMs);
    else if (this.firstMs < this.#pace.warmUpMs) await this.#askFor(question, this.#pace.warmUpMs);
  }

  async #askFor(question: Question, ms: number): Promise<readonly number[]> {
    // Lets the client see connections that were closed while an engine in this process computed.
    await Bun.sleep(1);
    const asked: number[] = [];
    const from = performance.now();
    do {
      const start = performance.now();
      await this.ask(question, this.requests);
      asked.push(performance.now() - start);
    } while (this.problem === undefined && performance.now() - from < ms);
    return asked;
  }
}

export interface Asked {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Of the first engine. */
  readonly requests: number;
}

/** The first engine is the measured one. All engines make a change equally often. */
export async function askInTurn(
  question: Question,
  engines: readonly Engine[],
  pace: Pace,
): Promise<Asked> {
  const contenders = engines.map((engine) => new Contender(engine, pace));
  if (question.change !== undefined) {
    await change(question, contenders, pace.changeRounds);
    await compare(question.change.check, contenders);
  } else {
    await compare(question, contenders);
    for (const contender of contenders) await contender.warmUp(question);
    while (contenders.some(({ isFinished }) => !isFinished)) {
      for (const each of contenders) if (!each.isFinished) await each.round(question);
    }
  }
  const outcomes = contenders.map(({ engine, outcome }) => [engine.name, outcome] as const);
  return { outcomes: Object.fromEntries(outcomes), requests: contenders[0]?.requests ?? 0 };
}

async function change(
  question: Question,
  contenders: readonly Contender[],
  rounds: number,
): Promise<void> {
  for (let turn = 0; turn < rounds; turn++) {
    for (const contender of contenders) {
      if (contender.problem !== undefined) continue;
      await Bun.sleep(1);
      const start = performance.now();
      await contender.ask(question, turn);
      contender.note(performance.now() - start);
    }
  }
}

/** An engine that disagrees with the first one gets a problem instead of times. */
async function compare(
  question: Pick<Question, 'program' | 'sql'>,
  contenders: readonly Contender[],
): Promise<void> {
  let expected: unknown;
  for (const contender of contenders) {
    if (contender.problem !== undefined) continue;
    const start = performance.now();
    const answer = await contender.ask(question, 0);
    if (contender.problem !== undefined) continue;
    contender.firstMs = performance.now() - start;
    expected ??= answer;
    if (!agree(expected, answer)) contender.problem = differs;
  }
}

export const differs = 'another answer';
