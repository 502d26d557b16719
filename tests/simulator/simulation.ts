/** One seed from its start to its end: writers, clients and misfortunes on one medium, then a last look at what is left. */

import { bucketMedium } from './bucket/medium.ts';
import { chaos } from './chaos.ts';
import { Dice } from './dice.ts';
import { directoryMedium } from './disk/medium.ts';
import { excuse } from './excuse.ts';
import { Faults } from './faults.ts';
import { finale } from './finale.ts';
import { type Commit, History } from './history.ts';
import { anyKeys, holdsCorpus, type Keys } from './keys.ts';
import type { Life } from './life.ts';
import type { Medium } from './medium.ts';
import { Reader } from './reader.ts';
import { Scheduler } from './scheduler.ts';
import { anySwarm, type Swarm } from './swarm.ts';
import { Writer } from './writer.ts';
import { Wrong } from './wrong.ts';

/** More events than any seed needs: whoever gets there goes in circles. */
const eventsMax = 100_000;
/** So long a seed may work, in events and in simulated time, before it comes to its end. */
const workEventsMax = 6_000;
const workMsMax = 600_000;

/** What happens in a simulation. */
export interface Story {
  /** Instead of what the seed picks. */
  readonly settings: Partial<Swarm>;
  readonly play: (simulation: Simulation) => Promise<void>;
}

export class Simulation {
  readonly dice: Dice;
  readonly captureDice: Dice;
  readonly undoDice: Dice;
  readonly scheduler: Scheduler;
  readonly settings: Swarm;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly history: History;
  readonly medium: Medium;
  /** Processes that are alive. */
  readonly lives = new Set<Life>();
  operations = 0;
  openings = 0;
  recoveries = 0;
  /** Views that readers have read whole. */
  readings = 0;
  /** Of whole processes. */
  misfortunes = 0;
  takeovers = 0;
  /** Commits of programs that were kept. */
  captures = 0;
  /** Errors that clients and openings met, all with an excuse. */
  errors = 0;
  private readonly story: Story;
  private failure: unknown;
  private isDone = false;

  /** Without a story of its own a seed is everything at once. */
  constructor(seed: number, story: Story = { settings: {}, play: everythingAtOnce }) {
    const dice = new Dice(seed);
    this.dice = dice;
    this.captureDice = new Dice(seed ^ 0x5c0a_9b3d);
    this.undoDice = new Dice(seed ^ 0x2b7e_1516);
    const share = new Dice(seed ^ 0x7c15_9e37);
    const later = { capture: this.captureDice, undo: this.undoDice, share };
    this.settings = { ...anySwarm(dice, later), ...story.settings };
    this.story = story;
    this.scheduler = new Scheduler(dice.fork());
    this.faults = new Faults(dice.fork(), this.settings.faultShare);
    this.keys = anyKeys(dice, this.settings);
    // What is given up as a whole holds keys of clients alone.
    if (this.keys.plots.some(holdsCorpus)) this.settings = { ...this.settings, capturing: 0 };
    this.history = new History(
      this.keys.count + 1,
      this.settings.store.commitDurability !== 'memory',
    );
    const { scheduler, faults, settings } = this;
    const parts = { scheduler, faults, dice: dice.fork(), settings };
    this.medium = settings.isBucket ? bucketMedium(parts) : directoryMedium(parts);
  }

  /** Throws `Wrong` when an oracle fails. */
  run(): void {
    void this.story.play(this).then(
      () => {
        this.isDone = true;
      },
      (error: unknown) => this.fail(error),
    );
    this.scheduler.settle();
    while (!this.isDone && this.failure === undefined) {
      if (!this.scheduler.step()) throw new Wrong('nothing can happen any more, and all wait');
      if (this.scheduler.events > eventsMax) throw new Wrong('it never ends');
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /** The same world with another medium, and a history that goes on by itself. */
  shadow(medium: Medium): Simulation {
    const own = { medium, history: this.history.clone(), lives: new Set<Life>() };
    return Object.assign(Object.create(Simulation.prototype), this, own);
  }

  get hasWork(): boolean {
    const { operations, settings, scheduler } = this;
    if (operations >= settings.operations || this.failure !== undefined) return false;
    return scheduler.events < workEventsMax && scheduler.nowMs < workMsMax;
  }

  /** False when all have been done. */
  takeOperation(): boolean {
    if (!this.hasWork) return false;
    this.operations++;
    return true;
  }

  begin(life: Life): Life {
    for (const other of this.lives) other.isRivalled = true;
    life.isRivalled = [...this.lives].some(({ role }) => role === 'writer');
    if (life.isRivalled) this.takeovers++;
    this.lives.add(life);
    return life;
  }

  claimed(life: Life, epoch: number): void {
    life.epoch = epoch;
    for (const other of this.lives) other.isReplaced ||= other.epoch !== 0 && other.epoch < epoch;
  }

  opened(life: Life, commit: Commit): void {
    this.openings++;
    if (commit.sequence > 0) this.recoveries++;
    this.scheduler.trace(`${life.name} opened at ${commit.sequence}`);
  }

  /** Errors are expected, as far as something has gone wrong before. */
  excused(error: unknown, life: Life): void {
    this.errors++;
    try {
      excuse(error, { life, hasRoom: this.settings.roomBytes === Number.POSITIVE_INFINITY });
    } catch (wrong) {
      this.fail(wrong);
    }
  }

  fail(error: unknown): void {
    this.failure ??= error;
  }
}

async function everythingAtOnce(simulation: Simulation): Promise<void> {
  const names = ['A', 'B', 'C'].slice(0, simulation.settings.writers);
  const writers = names.map((name) => new Writer(simulation, name).run());
  const observers = ['M', 'N'].slice(0, simulation.settings.readers);
  const readers = observers.map((name) => new Reader(simulation, name).run());
  await Promise.all([...writers, ...readers, chaos(simulation)]);
  await finale(simulation);
}
