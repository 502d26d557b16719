/** A reader process: what it sees are whole prefixes, never an older one after a newer one, and a view of it never changes. */

import type { ReaderStore } from '#storage';
import { openReaderIn } from '../../src/storage/reader/open-reader.ts';
import { shows } from './history.ts';
import { Life } from './life.ts';
import { readState } from './questions.ts';
import { simulatedWorld } from './sim-world.ts';
import type { Simulation } from './simulation.ts';
import { Wrong } from './wrong.ts';

export class Reader {
  private readonly simulation: Simulation;
  private readonly name: string;
  private lives = 0;

  constructor(simulation: Simulation, name: string) {
    this.simulation = simulation;
    this.name = name;
  }

  async run(): Promise<void> {
    const { simulation } = this;
    const { scheduler, settings, dice } = simulation;
    while (simulation.hasWork) {
      await scheduler.wait(settings.restMs * dice.unit() + 1, undefined, 'start');
      if (!simulation.hasWork) return;
      const life = new Life(`${this.name}${++this.lives}`, 'reader');
      // A writer that starts empties `tmp/`, where a pin may be in the making.
      life.isRivalled = true;
      simulation.lives.add(life);
      void this.serve(life);
      await life.ended;
      simulation.lives.delete(life);
    }
  }

  /** One life; never rejects. */
  private async serve(life: Life): Promise<void> {
    const { simulation } = this;
    const { scheduler, dice, settings, medium } = simulation;
    let store: ReaderStore | undefined;
    try {
      const world = simulatedWorld(scheduler, life, dice.fork(), settings.lookMs);
      const pollMs = dice.pick([5, 100, 1_000]);
      const { scanReadAheadBytes = 1 } = settings.store;
      const options = { world, pollMs, cacheBytes: 1 << 20, scanReadAheadBytes };
      store = await openReaderIn(await medium.openReader(life, world), options);
      await this.look(store, life);
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

  private async look(store: ReaderStore, life: Life): Promise<void> {
    const { scheduler, dice, settings, history, keys } = this.simulation;
    const untilMs = scheduler.nowMs + settings.lifeMs * dice.unit();
    let newest = 0;
    while (scheduler.nowMs < untilMs && this.simulation.hasWork) {
      const view = store.snapshot();
      const { sequence } = view;
      if (sequence < newest) throw new Wrong(`a reader saw ${newest}, then ${sequence}`);
      newest = sequence;
      try {
        const commit = history.seen(sequence, await readState(keys, view));
        this.simulation.readings++;
        scheduler.trace(`read ${sequence}`);
        await scheduler.wait(settings.lifeMs * 0.3 * dice.unit(), life, 'think');
        const again = await readState(keys, view);
        if (!shows(again, commit.state)) {
          throw new Wrong(`the view of a reader at ${sequence} has changed`);
        }
      } catch (error) {
        this.simulation.excused(error, life);
      } finally {
        view.release();
      }
      if (dice.chance(0.5)) await store.refresh();
      await scheduler.wait(20 * dice.unit() + 0.1, life, 'think');
    }
  }
}
