/** Runs surveys, one table at a time: the tables that plans have requested, and at each periodic check one table that is due. */

import type { Timer, World } from '#base';
import type { Catalog, Table } from '#catalog';
import type { MemoryPool } from '#executor';
import { type Surveys, surveyBytes, surveyTable } from '#statistics';
import type { Store } from '#storage';

/** Delay after the first request. Further requests in this time join the same run. */
const delayMs = 50;
const checkMs = 30_000;

/** The database that is surveyed. */
interface Ground {
  readonly store: Store;
  readonly world: World;
  readonly catalog: Catalog;
}

export class Surveyor {
  private readonly ground: Ground;
  private readonly surveys: Surveys;
  private readonly pool: MemoryPool;
  private wake: Timer | undefined;
  private check: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(ground: Ground, surveys: Surveys, pool: MemoryPool) {
    this.ground = ground;
    this.surveys = surveys;
    this.pool = pool;
    surveys.wished = () => this.wakeSoon();
    this.checkLater();
  }

  /** Stops all surveys. Resolves when the running survey has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake?.cancel();
    this.check?.cancel();
    await this.working;
  }

  private wakeSoon(): void {
    if (this.isStopped || this.wake !== undefined || this.working !== undefined) return;
    this.wake = this.ground.world.scheduler.after(delayMs, () => {
      this.wake = undefined;
      this.start(() => this.surveys.wish());
    });
  }

  private checkLater(): void {
    this.check = this.ground.world.scheduler.after(checkMs, () => {
      this.checkLater();
      const { tables } = this.ground.catalog;
      this.surveys.keepOnly(tables);
      let due = this.surveys.due(tables);
      this.start(() => {
        const table = this.surveys.wish() ?? due;
        if (table === due) due = undefined;
        return table;
      });
    });
  }

  private start(next: () => Table | undefined): void {
    if (this.working !== undefined) return;
    this.working = this.work(next).finally(() => {
      this.working = undefined;
    });
  }

  private async work(next: () => Table | undefined): Promise<void> {
    for (let table = next(); table !== undefined && !this.isStopped; table = next()) {
      const bytes = surveyBytes(table);
      // Programs take precedence: the next check tries again.
      if (this.pool.draw(bytes, false) !== undefined) return;
      try {
        await this.survey(table);
      } finally {
        this.pool.refill(bytes);
      }
      await this.ground.world.scheduler.yield();
    }
  }

  private async survey(table: Table): Promise<void> {
    const { store, world, catalog } = this.ground;
    const view = store.snapshot();
    try {
      const synopsis = await surveyTable(table, {
        view,
        entries: store,
        world,
        catalogVersion: catalog.version,
        isStopped: () => this.isStopped,
      });
      if (synopsis !== undefined) this.surveys.found(table, synopsis);
    } catch {
      // A read error is reported to the programs that read the table.
      this.surveys.found(table, undefined);
    } finally {
      view.release();
    }
  }
}
