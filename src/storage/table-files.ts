/** Opens the tables of runs, over one cache. */

import type { World } from '#base';
import { BlockCache } from './cache/block-cache.ts';
import { GarbageWatch } from './cache/garbage-watch.ts';
import { levels } from './compaction/index.ts';
import type { Run, TableEntry } from './manifest/manifest.ts';
import type { ObjectStore } from './object/store.ts';
import type { ObjectCache } from './object-cache/object-cache.ts';
import { type HeldTable, type OpenRun, openRunOf } from './open-run.ts';
import type { ReadAheadBounds } from './table/read-ahead.ts';
import { Table } from './table/table.ts';
import type { ValueCodecs } from './table/value-codec.ts';

export interface TableFilesOptions extends ReadAheadBounds {
  readonly world: World;
  readonly objects: ObjectStore;
  readonly cacheBytes: number;
  readonly codecs: ValueCodecs;
  readonly scansFillCache: boolean;
  /** Where parts of tables are kept, when they are remote. */
  readonly objectCache?: ObjectCache;
}

export class TableFiles {
  readonly cache: BlockCache;
  /** To be told what else is let go of. */
  readonly garbage: GarbageWatch;
  private readonly options: TableFilesOptions;

  constructor(options: TableFilesOptions) {
    this.options = options;
    this.garbage = new GarbageWatch(options.world);
    this.cache = new BlockCache(options.cacheBytes, (bytes) => this.garbage.add(bytes));
  }

  /** Opens what `now` does not have open; an entry that a compaction has raised is another one. */
  async openRuns(runs: readonly Run[], now?: readonly OpenRun[]): Promise<OpenRun[]> {
    const open = new Map<TableEntry, HeldTable>();
    for (const held of now?.flatMap((run) => run.tables) ?? []) open.set(held.table.entry, held);
    this.fetchAhead(runs, now);
    const added: HeldTable[] = [];
    try {
      return await this.openEach(runs, open, added);
    } catch (error) {
      for (const { table } of added) table.close();
      throw error;
    }
  }

  private async openEach(
    runs: readonly Run[],
    open: ReadonlyMap<TableEntry, HeldTable>,
    added: HeldTable[],
  ): Promise<OpenRun[]> {
    const opened: OpenRun[] = [];
    for (const { level, tables } of runs) {
      const held: HeldTable[] = [];
      for (const entry of tables) {
        const known = open.get(entry);
        const one = known ?? (await this.open(entry));
        if (known === undefined) added.push(one);
        held.push(one);
      }
      opened.push(openRunOf(level, held));
    }
    return opened;
  }

  /** Has parts of tables fetched that nobody has asked for yet: at the opening, or because the tables are new. */
  private fetchAhead(runs: readonly Run[], now: readonly OpenRun[] | undefined): void {
    const { objectCache } = this.options;
    if (objectCache === undefined) return;
    const { preload, keepsFlushed, keepsMerged } = objectCache.options;
    const isFlushed = ({ level }: Run) => level === levels.flushed;
    const known = new Set(
      now?.flatMap(({ tables }) => tables.map(({ table }) => table.entry.name)),
    );
    const wanted = runs.filter((run) => {
      if (now === undefined) return preload === 'all' || (preload === 'l0' && isFlushed(run));
      return isFlushed(run) ? keepsFlushed : keepsMerged;
    });
    const tables = wanted.flatMap((run) => run.tables).filter(({ name }) => !known.has(name));
    if (tables.length > 0) void objectCache.preload(tables);
  }

  private async open(entry: TableEntry): Promise<HeldTable> {
    const { objects, codecs, scansFillCache } = this.options;
    const readAhead = this.options;
    const reader = await objects.openRead(entry.name, entry.bytes);
    const { cache } = this;
    return {
      table: new Table(reader, entry, { cache, codecs, scansFillCache, readAhead }),
      holders: 0,
    };
  }
}
