/**
 * The corpus of a writer (`--capture-workload-corpus`): programs that its clients have run, kept in the store beside everything else. Small limits, minutes that
 * pass quickly, and a process that often ends in the middle of a commit of the corpus.
 */

import type { Scheduler } from '#base';
import { fail } from '#failure';
import type { CommitOutcome, ReadView, Transaction } from '#storage';
import { Corpus } from '../../src/statistics/corpus/corpus.ts';
import { loadCorpus } from '../../src/statistics/corpus/load.ts';
import { misfortunesMax } from './chaos.ts';
import type { Dice } from './dice.ts';
import type { Commit } from './history.ts';
import { corpusDigest, isCorpusKey } from './keys.ts';
import type { Session } from './session.ts';
import { simulatedWorld } from './sim-world.ts';
import type { Simulation } from './simulation.ts';
import { Wrong } from './wrong.ts';

/** Keys and values in hexadecimal digits. */
type Contents = ReadonlyMap<string, string>;

/** What the corpus holds after a commit of its own; others leave it as it is. */
const contentsAt = new WeakMap<Commit, Contents>();
const nothing: Contents = new Map();

function contentsOf(commit: Commit): Contents {
  for (let at: Commit | undefined = commit; at !== undefined; at = at.parent) {
    const contents = contentsAt.get(at);
    if (contents !== undefined) return contents;
  }
  return nothing;
}

/** So many different programs there are, of a few lengths, each in several spellings. */
const programs = 12;
const flushMs = 60_000;

export class Capture {
  private readonly session: Session;
  private readonly simulation: Simulation;
  private readonly dice: Dice;
  private readonly corpus: Corpus;
  /** In committed records. */
  private recorded = 0;
  /** Every commit so far has happened. */
  private isUndisturbed = true;

  constructor(simulation: Simulation, session: Session) {
    this.simulation = simulation;
    this.session = session;
    const dice = simulation.captureDice.fork();
    this.dice = dice;
    const { scheduler, settings } = simulation;
    const { life } = session;
    const world = simulatedWorld(scheduler, life, dice.fork(), settings.lookMs);
    const haste = (settings.lifeMs * dice.pick([0.05, 0.3])) / flushMs;
    const hasty: Scheduler = {
      ...world.scheduler,
      after: (delayMs, task) => world.scheduler.after(delayMs * haste, task),
    };
    const { store } = session;
    // Many clocks stand still for a while.
    const tickMs = dice.pick([1, 1_000]);
    const unixMs = () => Math.floor(world.clock.unixMs() / tickMs) * tickMs;
    this.corpus = new Corpus({
      store: {
        begin: () => new CapturingTransaction(store.begin(), this) as unknown as Transaction,
        snapshot: () => store.snapshot(),
        get pressure() {
          return store.pressure;
        },
      },
      world: { clock: { ...world.clock, unixMs }, scheduler: hasty },
      limits: {
        executionsMax: dice.pick([3, 10]),
        bytesMax: dice.pick([300, 3_000]),
        ageMsMax: 3_600_000,
      },
    });
    this.corpus.start();
  }

  /** A client has run some program. */
  offer(): void {
    const program = Math.floor(this.dice.unit() ** 2 * programs);
    const statement = `"kind":"query","name":"${'q'.repeat(1 + program * 17)}"`;
    const blank = this.dice.pick(['', ' ', '\n']);
    this.corpus.offer(`{${blank}"statements":[{${statement}}]}`, false);
  }

  /** As at the end of a process; then it must know what it has written. */
  async stop(): Promise<void> {
    const { corpus, session } = this;
    await corpus.stop();
    const { captured, shedPending, maintenance } = await corpus.report();
    if (this.recorded > captured) {
      throw new Wrong(`${this.recorded} executions are recorded, and ${captured} were captured`);
    }
    const { store, life } = session;
    // What could not be read or written is not known either.
    if (!this.isUndisturbed || life.faults > 0 || store.poisoned !== undefined) return;
    if (store.pressure !== 'none') return;
    if (this.recorded + shedPending !== captured) {
      throw new Wrong(
        `${captured} executions captured: ${this.recorded} recorded, ${shedPending} shed`,
      );
    }
    const snapshot = store.snapshot();
    const found = await loadOf(snapshot, this.simulation).finally(() => snapshot.release());
    const known = [maintenance.retainedExecutions, maintenance.retainedPrograms];
    const there = [found.executionCount, found.programCount];
    if (String(known) !== String(there)) {
      throw new Wrong(`the corpus has ${there} records and programs, and knows of ${known}`);
    }
  }

  /** Now and then there is no room for this commit, or the process ends while the log takes it. */
  begins(): void {
    const { simulation, session, dice } = this;
    if (simulation.settings.faultShare === 0 || simulation.faults.isOver) return;
    if (dice.chance(0.1)) throw fail('overloaded', 'there is no room at present');
    if (simulation.misfortunes >= misfortunesMax || !dice.chance(0.2)) return;
    simulation.misfortunes++;
    session.life.crashAt(dice.between(1, 4));
  }

  decided(writes: ReadonlyMap<string, string | undefined>): Commit {
    const { session } = this;
    const contents = new Map(contentsOf(session.tip));
    for (const [key, value] of writes) {
      if (value === undefined) contents.delete(key);
      else contents.set(key, value);
    }
    const commit = session.decided(new Map([[session.keys.corpus, corpusDigest(contents)]]));
    contentsAt.set(commit, contents);
    return commit;
  }

  applied(commit: Commit | undefined, sequence: number): void {
    if (commit?.sequence !== sequence) throw new Wrong(`sequence ${sequence} out of order`);
    this.session.applied(commit);
  }

  ended(outcome: CommitOutcome | undefined, commit: Commit | undefined, executions: number): void {
    if (outcome?.kind !== 'committed') {
      this.isUndisturbed = false;
      return;
    }
    // There was nothing to write.
    if (commit === undefined) return;
    this.session.told(commit, 'acknowledged');
    this.session.history.acknowledged++;
    this.recorded += executions;
    this.simulation.captures++;
  }

  /** The corpus takes whatever it meets for an outage. */
  failed(error: unknown): void {
    if (error instanceof Wrong) this.simulation.fail(error);
  }
}

/** Where the number of executions stands in a record of them. */
const executionKind = 2;
const countAt = 1;

class CapturingTransaction {
  private readonly transaction: Transaction;
  private readonly capture: Capture;
  private readonly writes = new Map<string, string | undefined>();
  private executions = 0;

  constructor(transaction: Transaction, capture: Capture) {
    this.transaction = transaction;
    this.capture = capture;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.transaction.put(key, value);
    this.writes.set(key.toHex(), value.toHex());
    if (key[1] === executionKind) {
      this.executions += new DataView(value.buffer, value.byteOffset).getUint32(countAt);
    }
  }

  delete(key: Uint8Array): void {
    this.transaction.delete(key);
    this.writes.set(key.toHex(), undefined);
  }

  async commit(): Promise<CommitOutcome> {
    const { capture } = this;
    let commit: Commit | undefined;
    let outcome: CommitOutcome | undefined;
    try {
      capture.begins();
      outcome = await this.transaction.commit({
        validate: () => {
          commit = capture.decided(this.writes);
          return true;
        },
        applied: (sequence) => capture.applied(commit, sequence),
      });
      return outcome;
    } catch (error) {
      capture.failed(error);
      throw error;
    } finally {
      try {
        capture.ended(outcome, commit, this.executions);
      } catch (error) {
        capture.failed(error);
      }
    }
  }

  release(): void {
    this.transaction.release();
  }
}

/** What is there of the corpus is whole: each record has its program, and each program is what its key says. */
export async function checkCorpus(view: ReadView, simulation: Simulation): Promise<void> {
  await loadOf(view, simulation);
}

async function loadOf(view: ReadView, { scheduler }: Simulation) {
  const pausing = { yield: () => scheduler.wait(0, undefined, 'yield') };
  const { retained, invalid } = await loadCorpus(view, pausing as Scheduler);
  const wrong = invalid.filter(isCorpusKey).map((key) => key.toHex());
  if (wrong.length > 0) throw new Wrong(`records of the corpus that mean nothing: ${wrong}`);
  return retained;
}
