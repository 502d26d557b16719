/** Opens the SSTables of runs, over one block cache. */

import type { World } from '#base';
import { BlockCache } from '../cache/block-cache.ts';
import { GarbageWatch } from '../cache/garbage-watch.ts';
import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectReader, ObjectStore } from '../object/store.ts';
import type { ObjectCache } from '../object-cache/object-cache.ts';
import { DamagedTables } from '../table/damaged-tables.ts';
import { LateReader } from '../table/late-reader.ts';
import type { ReadAheadBounds } from '../table/read-ahead.ts';
import { SsTable } from '../table/ss-table.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import { type HeldTable, type OpenRun, openRunOf, pastRunOf, tablesOf } from './open-run.ts';

interface TableFilesOptions extends ReadAheadBounds {
  readonly world: World;
  readonly objects: Pick<ObjectStore, 'openRead'>;
  readonly cacheBytes: number;
  readonly codecs: ValueCodecs;
  readonly scansFillCache: boolean;
  /** Local cache for parts of remote SSTables. */
  readonly objectCache?: ObjectCache;
}

/** Whether a missing SSTable prevents runs from being opened. */
type Absent = 'tolerated' | 'refused';

interface Openings {
  readonly open: ReadonlyMap<TableEntry, HeldTable>;
  /** SSTables opened so far. */
  readonly added: HeldTable[];
  readonly absent: Absent;
}

export class TableFiles {
  readonly cache: BlockCache;
  /** Damage of SSTables that cannot be read. */
  readonly damaged = new DamagedTables();
  /** Also receives the sizes of other memory that the store releases. */
  readonly garbage: GarbageWatch;
  private readonly options: TableFilesOptions;

  constructor(options: TableFilesOptions) {
    this.options = options;
    this.garbage = new GarbageWatch(options.world);
    this.cache = new BlockCache(options.cacheBytes, (bytes) => this.garbage.add(bytes));
  }

  /**
   * Opens the SSTables of `runs` that `now` does not have open. An entry whose lower bound a compaction has raised counts as another
   * SSTable. If missing SSTables are `tolerated`, they are opened as well, and reads of them fail.
   */
  async openRuns(
    runs: readonly RunEntry[],
    now?: readonly OpenRun[],
    absent: Absent = 'tolerated',
  ): Promise<OpenRun[]> {
    const open = new Map<TableEntry, HeldTable>();
    for (const held of now?.flatMap(tablesOf) ?? []) open.set(held.table.entry, held);
    this.fetchAhead(runs, now);
    const added: HeldTable[] = [];
    try {
      return await this.openEach(runs, { open, added, absent });
    } catch (error) {
      for (const { table } of added) table.close();
      throw error;
    }
  }

  private async openEach(
    runs: readonly RunEntry[],
    { open, added, absent }: Openings,
  ): Promise<OpenRun[]> {
    const openAll = async (tables: readonly TableEntry[]): Promise<readonly HeldTable[]> => {
      const held: HeldTable[] = [];
      for (const entry of tables) {
        const known = open.get(entry);
        const one = known ?? (await this.open(entry, absent));
        if (known === undefined) added.push(one);
        held.push(one);
      }
      return held;
    };
    const opened: OpenRun[] = [];
    for (const { level, tables, past = [] } of runs) {
      const held = await openAll(tables);
      opened.push(openRunOf(level, held, pastRunOf(past, await openAll(past))));
    }
    return opened;
  }

  /**
   * Opens the files of SSTables whose sequence is not known yet. The caller creates the run from
   * them with `runOf`, or closes them.
   */
  async openFiles(tables: readonly TableEntry[]): Promise<readonly ObjectReader[]> {
    const readers: ObjectReader[] = [];
    try {
      for (const table of tables) readers.push(await this.reader(table, 'refused'));
      return readers;
    } catch (error) {
      for (const reader of readers) reader.close();
      throw error;
    }
  }

  /** Returns the L0 run of `tables`. Takes ownership of `readers`, which are open on the same files. */
  runOf(tables: readonly TableEntry[], readers: readonly ObjectReader[]): OpenRun {
    const held = tables.map((entry, i) => this.held(entry, readers[i] as ObjectReader));
    return openRunOf(levels.flushed, held);
  }

  /** Prefetches parts of SSTables into the object cache: at startup, or because the SSTables are new. */
  private fetchAhead(runs: readonly RunEntry[], now: readonly OpenRun[] | undefined): void {
    const { objectCache } = this.options;
    if (objectCache === undefined) return;
    const { preload, keepsFlushed, keepsMerged } = objectCache.options;
    const isFlushed = ({ level }: RunEntry) => level === levels.flushed;
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

  private async open(entry: TableEntry, absent: Absent): Promise<HeldTable> {
    return this.held(entry, await this.reader(entry, absent));
  }

  private held(entry: TableEntry, reader: ObjectReader): HeldTable {
    const { codecs, scansFillCache } = this.options;
    const readAhead = this.options;
    const { cache, damaged } = this;
    return {
      table: new SsTable(reader, entry, { cache, codecs, scansFillCache, readAhead, damaged }),
      holders: 0,
    };
  }

  private async reader({ name, bytes }: TableEntry, absent: Absent): Promise<ObjectReader> {
    const { objects } = this.options;
    try {
      return await objects.openRead(name, bytes);
    } catch (error) {
      const kind = error instanceof StorageError ? error.fault.kind : undefined;
      const isOfFile = kind === 'missing' || kind === 'io';
      if (absent === 'refused' || !isOfFile) throw error;
      this.damaged.noteError(name, error);
      return new LateReader(objects, name, bytes);
    }
  }
}
