/** One transaction of a client: what it reads is checked against the state it began at, and again at its place in the order. */

import type { CommitOutcome, Transaction } from '#storage';
import type { Commit } from './history.ts';
import { fingerprint } from './keys.ts';
import { gone, type Plot } from './plots.ts';
import { anyKey, anyQuestion, ask, describe, expected, type Question } from './questions.ts';
import type { Session } from './session.ts';
import { Wrong } from './wrong.ts';

interface Observation {
  readonly own: ReadonlyMap<number, string | undefined>;
  readonly question: Question;
  readonly answer: string;
}

export class TransactionRun {
  private readonly session: Session;
  private readonly transaction: Transaction;
  private readonly base: Commit;
  private own = new Map<number, string | undefined>();
  private readonly observations: Observation[] = [];
  private committed: Commit | undefined;
  private isLarge = false;

  constructor(session: Session) {
    this.session = session;
    this.base = session.tip;
    this.transaction = session.store.begin();
    if (this.transaction.sequence !== this.base.sequence) {
      throw new Wrong(`begins at ${this.transaction.sequence}, not at ${this.base.sequence}`);
    }
  }

  /** Reads and writes, in between others do. */
  async work(): Promise<void> {
    const { dice, undoDice, settings } = this.session;
    const isReadOnly = dice.chance(0.15);
    if (this.plots.length > 0) await this.readCatalog();
    for (let steps = dice.between(1, 5); steps > 0; steps--) {
      if (isReadOnly || dice.chance(0.45)) await this.read();
      else if (dice.chance(0.05)) await this.clearRange();
      else this.write();
      await this.relieve();
      if (!isReadOnly && undoDice.chance(settings.undoing)) await this.tryOut();
      if (dice.chance(0.5)) await this.session.pause(settings.thinkMs * dice.unit());
    }
    // Others commit so much meanwhile that the store has to forget what this one will be validated against.
    if (dice.chance(settings.longTransactions)) {
      const idleMs = (settings.thinkMs + settings.diskMs) * dice.pick([10, 100]);
      await this.session.pause(idleMs * dice.unit());
      if (dice.chance(0.7)) this.write();
      await this.relieve();
    }
    if (!isReadOnly && this.plots.length > 0 && dice.chance(0.06)) this.drop(dice.pick(this.plots));
  }

  put(key: number, value: Uint8Array): void {
    this.transaction.put(this.session.keys.at(key), value);
    this.own.set(key, fingerprint(value));
  }

  delete(key: number): void {
    this.transaction.delete(this.session.keys.at(key));
    this.own.set(key, undefined);
  }

  async relieve(): Promise<void> {
    const wait = this.transaction.relieve();
    if (wait === undefined) return;
    await wait;
    this.isLarge = true;
    this.session.history.spilled++;
  }

  async commit(): Promise<CommitOutcome> {
    const { session, transaction } = this;
    const outcome = await transaction.commit({
      validate: () => this.decided(),
      applied: (sequence) => this.applied(sequence),
    });
    if (outcome.kind === 'committed') {
      const commit = this.own.size === 0 ? this.base : this.committed;
      if (commit === undefined || commit.sequence !== outcome.sequence) {
        throw new Wrong(`${outcome.sequence} was acknowledged, but not applied`);
      }
      session.told(commit, 'acknowledged');
      if (this.own.size > 0) session.history.acknowledged++;
      if (this.own.size > 0 && this.isLarge) session.history.large++;
    }
    if (outcome.kind === 'conflict') this.checkConflict(outcome.key);
    return outcome;
  }

  release(): void {
    this.transaction.release();
  }

  private read(): Promise<void> {
    return this.ask(anyQuestion(this.session.keys, this.session.dice));
  }

  private async ask(question: Question): Promise<void> {
    const { keys } = this.session;
    const own = new Map(this.own);
    const answer = await ask(keys, this.transaction, question, this.base.state);
    const right = expected(keys, this.base.state, own, question);
    if (answer !== right) {
      throw new Wrong(`${describe(question)} at ${this.base.sequence}: ${answer}, not ${right}`);
    }
    this.observations.push({ own, question, answer });
  }

  private write(dice = this.session.dice): void {
    const { keys, settings } = this.session;
    for (let count = dice.between(1, 4); count > 0; count--) {
      const key = anyKey(keys, dice);
      if (!this.mayWrite(key)) continue;
      if (dice.chance(settings.deletions)) {
        this.delete(key);
      } else {
        this.put(key, this.session.anyValue(dice));
      }
    }
  }

  /** Writes, reads, and takes back what it has written: what it read then must hold all the same. */
  private async tryOut(): Promise<void> {
    const { keys, undoDice } = this.session;
    const before = new Map(this.own);
    const mark = this.transaction.mark();
    for (let count = undoDice.between(1, 3); count > 0; count--) {
      this.write(undoDice);
      await this.relieve();
      if (undoDice.chance(0.3)) await this.ask(anyQuestion(keys, undoDice));
    }
    const { plots } = this;
    if (plots.length > 0 && undoDice.chance(0.3)) this.drop(undoDice.pick(plots), undoDice);
    await this.relieve();
    await this.transaction.undo(mark);
    this.own = before;
    if (undoDice.chance(0.5)) this.transaction.forget(mark);
  }

  /** Deletes what it finds in a range. */
  private async clearRange(): Promise<void> {
    const { keys, dice } = this.session;
    const from = anyKey(keys, dice);
    const to = Math.min(keys.count - 1, from + dice.below(20));
    for (let key = from; key <= to; key++) if (this.mayWrite(key)) this.delete(key);
  }

  /** Plots that are not given up yet. */
  private get plots(): readonly Plot[] {
    return this.session.keys.plots.filter(({ first }) => this.base.state[first] !== gone);
  }

  private mayWrite(key: number): boolean {
    return key !== this.session.keys.catalog && this.base.state[key] !== gone;
  }

  private readCatalog(): Promise<void> {
    const { catalog } = this.session.keys;
    return catalog === undefined ? Promise.resolve() : this.ask({ kind: 'point', key: catalog });
  }

  /** What it writes into the plot itself is gone as well. */
  private drop(plot: Plot, dice = this.session.dice): void {
    const { catalog } = this.session.keys;
    if (catalog !== undefined) this.put(catalog, this.session.anyValue(dice));
    this.transaction.dropRange(plot);
    for (let key = plot.first; key < plot.end; key++) this.own.set(key, gone);
  }

  /** In its place in the order it must have read the same. */
  private decided(): boolean {
    const { keys } = this.session;
    const parent = this.session.tip;
    for (const { own, question, answer } of this.observations) {
      const right = expected(keys, parent.state, own, question);
      if (answer !== right) {
        throw new Wrong(
          `${describe(question)} read at ${this.base.sequence}, committed as ${parent.sequence + 1}: ${answer}, not ${right}`,
        );
      }
    }
    this.committed = this.session.decided(this.own);
    return true;
  }

  private applied(sequence: number): void {
    const { committed } = this;
    if (committed?.sequence !== sequence) throw new Wrong(`sequence ${sequence} out of order`);
    this.session.applied(committed);
  }

  /** A conflict that names a key must be true. */
  private checkConflict(key: Uint8Array | undefined): void {
    if (key === undefined) return;
    const { keys, tip } = this.session;
    const which = keys.numberOf(key);
    for (let at = tip; at.sequence > this.base.sequence; at = at.parent as Commit) {
      if (at.writes.has(which)) return;
    }
    throw new Wrong(`a conflict over key ${which}, which nobody wrote since ${this.base.sequence}`);
  }
}
