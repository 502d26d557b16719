/** Times of a piece of work that is not a question, by engine. */

import { reasonOf } from '../engines/engine.ts';
import { type Gauge, type Outcome, type Row, timesOf } from './outcome.ts';
import type { Target } from './target.ts';

export class Times {
  readonly outcomes: Record<string, Outcome> = {};
  readonly #of: Pick<Row, 'id' | 'name' | 'rows'>;
  readonly #print: (line: string) => void;
  #gauge: Gauge | undefined;

  constructor(of: Pick<Row, 'id' | 'name' | 'rows'>, print: (line: string) => void) {
    this.#of = of;
    this.#print = print;
  }

  /** Returns the ms of the work plus those `before` it. After a problem an engine is not measured again. */
  async add(name: string, work: () => Promise<unknown>, before = 0): Promise<number> {
    const known = this.outcomes[name];
    if (known !== undefined && 'problem' in known) return 0;
    const start = performance.now();
    try {
      await work();
    } catch (error) {
      const problem = reasonOf(error);
      this.outcomes[name] = { problem };
      this.#print(`${this.#of.name}: ${name} ${problem}`);
      return 0;
    }
    const ms = before + performance.now() - start;
    this.outcomes[name] = { times: [...(timesOf(known) ?? []), ms] };
    this.#print(`${this.#of.name}: ${name} ${(ms / 1_000).toFixed(1)} s`);
    return ms;
  }

  /** Returns whether the work succeeded. */
  async addWatched({ engine, watched }: Target, work: () => Promise<unknown>): Promise<boolean> {
    const gauge = await watched(async () => {
      await this.add(engine.name, work);
      return 1;
    });
    this.#gauge ??= gauge;
    return timesOf(this.outcomes[engine.name]) !== undefined;
  }

  row(): Row {
    const gauge = this.#gauge;
    return { ...this.#of, outcomes: this.outcomes, ...(gauge !== undefined && { gauge }) };
  }
}
