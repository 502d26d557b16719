/** A writer process: opens the store, checks what it finds, serves clients, and ends one way or another; then it starts again. */

import type { StoreOptions } from '#storage';
import type { LsmStore } from '../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../src/storage/assembly/open.ts';
import { Capture, checkCorpus } from './capture.ts';
import { losePower, misfortunesMax } from './chaos.ts';
import { Client } from './client.ts';
import { Life } from './life.ts';
import { everything, readState } from './questions.ts';
import { Session } from './session.ts';
import { simulatedWorld } from './sim-world.ts';
import type { Simulation } from './simulation.ts';

export class Writer {
  private readonly simulation: Simulation;
  private readonly name: string;
  private lives = 0;
  /** Its life before ended in the middle of an effect. */
  private hasCrashed = false;
  /** After so many effects; 0 for never. */
  private crashesAfterOpening = 0;

  constructor(simulation: Simulation, name: string) {
    this.simulation = simulation;
    this.name = name;
  }

  /** Life after life, until there is nothing left to do. */
  async run(): Promise<void> {
    const { simulation } = this;
    const { settings, dice } = simulation;
    while (simulation.hasWork) {
      await simulation.scheduler.wait(settings.restMs * dice.unit(), undefined, 'start');
      if (!simulation.hasWork) return;
      const life = this.begin();
      if (simulation.misfortunes < misfortunesMax && this.isStruck()) {
        simulation.misfortunes++;
        this.plan(life);
      }
      void this.serve(life);
      await life.ended;
      // It may be the process alone that ends there: then others see what it has written and not synced.
      if (life.hasCrashed && dice.chance(0.5)) losePower(simulation, life);
      this.hasCrashed = life.hasCrashed;
      simulation.lives.delete(life);
    }
  }

  /** What has just come back goes away again more often than not. */
  private isStruck(): boolean {
    const { faults, dice } = this.simulation;
    return faults.strikes('crash at an effect') || (this.hasCrashed && dice.chance(0.5));
  }

  /** While it opens the store, right after that, or in the middle of its work. */
  private plan(life: Life): void {
    const { dice } = this.simulation;
    if (dice.chance(0.4)) life.crashAt(dice.between(1, 30));
    else this.crashesAfterOpening = dice.between(1, dice.pick([4, 20, 150]));
  }

  begin(): Life {
    return this.simulation.begin(new Life(`${this.name}${++this.lives}`));
  }

  /** One life; never rejects. */
  private async serve(life: Life): Promise<void> {
    const { simulation } = this;
    let store: LsmStore | undefined;
    try {
      const session = await openSession(simulation, life);
      store = session.store;
      if (this.crashesAfterOpening > 0) life.crashAt(this.crashesAfterOpening);
      this.crashesAfterOpening = 0;
      await this.captured(session);
    } catch (error) {
      simulation.excused(error, life);
    }
    try {
      await store?.close();
    } catch (error) {
      simulation.excused(error, life);
    }
    life.end();
  }

  /** Works, and keeps the programs of its clients or not. */
  private async captured(session: Session): Promise<void> {
    const { simulation } = this;
    if (!simulation.captureDice.chance(simulation.settings.capturing)) return this.work(session);
    const capture = new Capture(simulation, session);
    session.capture = capture;
    try {
      await this.work(session);
    } finally {
      await capture.stop();
    }
  }

  private async work(session: Session): Promise<void> {
    const { simulation } = this;
    const { dice, settings } = simulation;
    const untilMs = simulation.scheduler.nowMs + settings.lifeMs * dice.unit();
    const mayGoOn = (): boolean =>
      session.store.poisoned === undefined &&
      simulation.scheduler.nowMs < untilMs &&
      simulation.takeOperation();
    const clients = Array.from({ length: settings.clients }, () => new Client(session));
    const ended = Promise.all(clients.map((client) => client.run(mayGoOn)));
    let isEnded = false;
    void ended.finally(() => {
      isEnded = true;
    });
    while (!isEnded) {
      await session.pause(settings.lifeMs * dice.pick([0.01, 0.2]) * dice.unit());
      await session.store.observe();
    }
    await ended;
    if (dice.chance(0.3) && session.store.poisoned === undefined) await session.store.tidy();
  }
}

export function storeOptions({ settings, keys }: Simulation): Omit<StoreOptions, 'world'> {
  return {
    storage: settings.isBucket ? 's3' : 'file',
    ...settings.store,
    keptKeys: settings.keepsEntries ? keys.lasting.slice(0, 2) : [],
  };
}

/** Opens the store and compares what it holds with what was committed. */
export async function openSession(simulation: Simulation, life: Life): Promise<Session> {
  const { history, keys, settings, scheduler } = simulation;
  const dice = simulation.dice.fork();
  const { tip } = history;
  const world = simulatedWorld(scheduler, life, dice.fork(), settings.lookMs);
  const place = await simulation.medium.open(life, world, (epoch) =>
    simulation.claimed(life, epoch),
  );
  const store = await openStoreIn(place, { ...storeOptions(simulation), world });
  const snapshot = store.snapshot();
  try {
    const state = await readState(keys, snapshot);
    if (state[keys.corpus] !== undefined) await checkCorpus(snapshot, simulation);
    const recovered = history.recovered(snapshot.sequence, state, tip, life.epoch);
    simulation.opened(life, recovered);
    const order = life.epoch;
    const undoDice = simulation.undoDice.fork();
    const shared = { life, scheduler, history, keys, dice, undoDice, settings, order };
    const excused = (error: unknown) => simulation.excused(error, life);
    const session = new Session({ ...shared, store, recovered, excused });
    await session.check(snapshot, recovered, everything('backward'));
    return session;
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  } finally {
    snapshot.release();
  }
}
