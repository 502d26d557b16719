/** Opens the tables of runs, over one cache. */

import { BlockCache } from './cache/block-cache.ts';
import type { Run, TableEntry } from './manifest/manifest.ts';
import type { ObjectStore } from './object/store.ts';
import { type HeldTable, type OpenRun, openRunOf } from './open-run.ts';
import { Table } from './table/table.ts';
import type { ValueCodecs } from './table/value-codec.ts';

export interface TableFilesOptions {
  readonly objects: ObjectStore;
  readonly cacheBytes: number;
  readonly codecs: ValueCodecs;
  readonly scansFillCache: boolean;
}

export class TableFiles {
  readonly cache: BlockCache;
  private readonly options: TableFilesOptions;

  constructor(options: TableFilesOptions) {
    this.options = options;
    this.cache = new BlockCache(options.cacheBytes);
  }

  async open(entry: TableEntry): Promise<HeldTable> {
    const { objects, codecs, scansFillCache } = this.options;
    const reader = await objects.openRead(entry.name);
    const { cache } = this;
    return { table: new Table(reader, entry, { cache, codecs, scansFillCache }), holders: 0 };
  }

  async openRun({ level, tables }: Run): Promise<OpenRun> {
    const held: HeldTable[] = [];
    for (const entry of tables) held.push(await this.open(entry));
    return openRunOf(level, held);
  }
}
