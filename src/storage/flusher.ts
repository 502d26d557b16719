/** Turns frozen memtables into tables, oldest first. */

import type { World } from '#base';
import type { Durable } from './manifest/durable.ts';
import type { Memtable } from './memtable/memtable.ts';
import type { InternalCursor } from './merge/index.ts';
import { openRunOf } from './open-run.ts';
import type { Publisher } from './publisher.ts';
import { Slicer } from './slicer.ts';
import { TableBuilder } from './table/table-builder.ts';
import type { TableOptions } from './table/table-options.ts';
import { MemorySink } from './table/table-sink.ts';
import type { TableFiles } from './table-files.ts';
import type { VersionSet } from './version-set.ts';

export interface FlusherParts {
  readonly world: World;
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly publisher: Publisher;
  readonly files: TableFiles;
  readonly tables: TableOptions;
  /** Sequences that views read at, ascending. */
  readonly snapshots: () => readonly number[];
}

export interface FlushCounters {
  flushes: number;
  flushedBytes: number;
}

export class Flusher {
  readonly counters: FlushCounters = { flushes: 0, flushedBytes: 0 };
  private readonly parts: FlusherParts;

  constructor(parts: FlusherParts) {
    this.parts = parts;
  }

  /** Flushes the oldest frozen memtable; false when there is none. */
  async flushOne(): Promise<boolean> {
    const { durable, versions, publisher, files } = this.parts;
    const memtable = versions.frozen.at(-1);
    if (memtable === undefined) return false;
    // A table must never hold what the log could still lose.
    await durable.log.durable(memtable.sequenceMax);
    const entry = await this.writeTable(memtable);
    const run = openRunOf(0, [await files.open(entry)]);
    await publisher.publish({ runs: (now) => [run, ...now], flushed: memtable });
    this.counters.flushes++;
    this.counters.flushedBytes += entry.bytes;
    return true;
  }

  private async writeTable(memtable: Memtable) {
    const { world, durable, publisher, tables } = this.parts;
    const sink = new MemorySink();
    const builder = new TableBuilder(publisher.nextName(), sink, tables);
    const cursor = memtable.versions({ from: new Uint8Array(), to: undefined });
    await addAll(cursor, builder, new Slicer(world));
    const entry = builder.finish();
    await durable.objects.put(entry.name, sink.body);
    return entry;
  }
}

async function addAll(cursor: InternalCursor, builder: TableBuilder, slicer: Slicer) {
  for (;;) {
    const next = cursor.next();
    if (next === false) return;
    if (next !== true) {
      await next;
      continue;
    }
    const wait = builder.add(cursor) ?? slicer.pause();
    if (wait !== undefined) await wait;
  }
}
