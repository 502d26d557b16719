/**
 * Checks periodically that the files of all SSTables and the newest manifest exist. A process
 * continues to read an open file after its deletion, so without this check the loss would be
 * detected only at the next startup.
 *
 * A local file that was deleted or replaced is written again from the open file, if that is intact.
 * This is impossible in a bucket. A manifest is in memory as a whole, so it is written again in any
 * storage location.
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
  /**
   * Resolves to true if the storage location exists and still belongs to this writer. Otherwise the
   * survey writes nothing.
   */
  readonly isOurs: () => Promise<boolean>;
  /** Writes the newest manifest again if it was missing, and resolves to its name then. */
  readonly restoreManifest: () => Promise<string | undefined>;
  /** Called when an unreadable SSTable may be readable again. */
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
      // A failed check is repeated at the next interval. The observer reports outages.
      this.running = this.look()
        .catch(() => {})
        .finally(() => {
          if (!this.isStopped) this.start();
        });
    });
  }

  /** Resolves when the survey writes nothing any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.running;
  }

  /** Checks every SSTable of the newest manifest once. */
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

  /**
   * Returns the names of all SSTables in a storage location where checking a single one costs a
   * request; `undefined` elsewhere.
   */
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

  /**
   * Returns false if a compaction has replaced the SSTable since the check began. The file may be
   * missing then.
   */
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
  'the file was deleted; this process has written it again from memory, and nothing is lost';

const restoredDetail =
  'the file was deleted or replaced; this process has written it again from the open file, and nothing is lost';

function unrestored({ name, bytes }: TableEntry, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return (
    `${name} was deleted or replaced, and could not be written again: ${why}; this process can still read it, and retries; until it exits, ` +
    `copy the file from /proc/<pid>/fd (the deleted file ${name} of ${bytes} bytes)`
  );
}
