/**
 * Looks now and then whether the files of all tables are where they should be, and the newest manifest. A process that has a table open goes on
 * reading it when its file is deleted, and nobody would notice before the next start.
 *
 * A local file that is gone, or is another one, is written again from what is open, if that is whole. Nothing can do that for a bucket. A
 * manifest is known as a whole, so it is written again anywhere.
 */

import type { Timer, World } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import type { DamagedTables } from '../table/damaged-tables.ts';
import type { HeldTable } from '../version/open-run.ts';
import type { VersionSet } from '../version/version-set.ts';
import { restoreTable } from './restore-table.ts';

interface SurveyParts {
  readonly world: World;
  readonly versions: VersionSet;
  readonly objects: ObjectStore;
  readonly damaged: DamagedTables;
  /** Whether the place is there, and still ours: nothing is written otherwise. */
  readonly isOurs: () => Promise<boolean>;
  /** Its name, when the newest manifest was gone and has been written again. */
  readonly restoreManifest: () => Promise<string | undefined>;
  /** Told that a table which could not be read may be read again. */
  readonly found: (table: string) => void;
}

export class TableSurvey {
  private readonly parts: SurveyParts;
  private timer: Timer | undefined;
  private running: Promise<void> | undefined;
  private isStopped = false;

  constructor(parts: SurveyParts) {
    this.parts = parts;
  }

  start(): void {
    this.timer = this.parts.world.scheduler.after(storeLimits.surveyMs, () => {
      // What cannot be asked now is asked the next time; the observer says that the place does not answer.
      this.running = this.look()
        .catch(() => {})
        .finally(() => {
          if (!this.isStopped) this.start();
        });
    });
  }

  /** Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.running;
  }

  /** Looks at every table of the newest manifest once. */
  async look(): Promise<void> {
    const { versions, isOurs, restoreManifest, damaged } = this.parts;
    if (!(await isOurs())) return;
    const manifest = await restoreManifest();
    if (manifest !== undefined) {
      damaged.note({ table: manifest, kind: 'restored', detail: restoredManifest });
    }
    const { tables } = versions.current;
    const names = await this.listed(tables);
    for (const [at, held] of tables.entries()) {
      if (this.isStopped) return;
      if (at % storeLimits.surveyAtOnce === 0) await this.parts.world.scheduler.yield();
      await this.judge(held, names);
    }
  }

  /** Names that are there, of a place where one table alone cannot be looked at for nothing. */
  private async listed(tables: readonly HeldTable[]): Promise<ReadonlySet<string> | undefined> {
    if (tables.every(({ table }) => table.isThere() !== undefined)) return undefined;
    const heads = await this.parts.objects.list(prefixes.table);
    return new Set(heads.map(({ name }) => name));
  }

  private async judge(held: HeldTable, names: ReadonlySet<string> | undefined): Promise<void> {
    const { table } = held;
    const { name } = table.entry;
    const { damaged } = this.parts;
    const isLocal = table.isThere() !== undefined;
    const isThere = table.isThere() ?? names?.has(name) ?? true;
    if (isThere) {
      if (damaged.of(name)?.kind !== 'missing') return;
      damaged.forget(name);
      this.parts.found(name);
    } else if (isLocal) {
      await this.restoreNeeded(held);
    } else if (this.isNeeded(held)) {
      const detail = `${name} does not exist`;
      damaged.note({ table: name, kind: 'missing', detail });
    }
  }

  /** A merge may have replaced it since the look began: then it is gone for good reason. */
  private isNeeded(held: HeldTable): boolean {
    return this.parts.versions.current.tables.includes(held);
  }

  private async restoreNeeded(held: HeldTable): Promise<void> {
    if (!this.isNeeded(held)) return;
    const version = this.parts.versions.current.hold();
    try {
      await this.restore(held);
    } finally {
      version.release();
    }
  }

  private async restore({ table }: HeldTable): Promise<void> {
    const { damaged, objects, world } = this.parts;
    const { name } = table.entry;
    const rest = () => world.scheduler.yield();
    try {
      await restoreTable(table, objects, rest);
      damaged.note({ table: name, kind: 'restored', detail: restoredDetail });
    } catch (error) {
      damaged.note({ table: name, kind: 'missing', detail: unrestored(table.entry, error) });
    }
  }
}

const restoredManifest =
  'the file was deleted; it has been written again from what this process knows, and nothing is lost';

const restoredDetail =
  'its file was deleted or replaced; it has been written again from what this process had open, and nothing is lost';

function unrestored({ name, bytes }: TableEntry, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return (
    `${name} was deleted or replaced, and could not be written again: ${why}; this process still reads it, and tries again: until it ends, ` +
    `the file can be copied from /proc/<pid>/fd (the one of ${bytes} bytes that is called ${name}, deleted)`
  );
}
