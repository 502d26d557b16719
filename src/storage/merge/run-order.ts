/** Runs a merge on this thread: reads the sources, and writes each SSTable as one object. */

import type { World } from '#base';
import type { VersionSource } from '../cursor/source.ts';
import type { ObjectStore, ObjectWriter } from '../object/store.ts';
import { MemorySink } from '../table/table-sink.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import { EntrySource } from './entry-source.ts';
import type { MergeJob } from './merge-job.ts';
import { runMerge } from './run-merge.ts';
import type { MergeResult, TableOutput } from './task.ts';

interface MergeTools {
  readonly world: World;
  readonly objects: Pick<ObjectStore, 'create' | 'put'>;
  readonly codecs: ValueCodecs;
  /** Returns the name of the next SSTable. */
  readonly takeName: () => string;
  /** Resolves when `takeName` may be called again; `undefined` if it may be called now. */
  readonly nameReady?: () => Promise<void> | undefined;
  /** Called between two slices. A rejection ends the merge. */
  readonly rest: () => Promise<void>;
  readonly sliceMs: number;
  /** Called when the store has the bytes of an SSTable, and this thread no longer needs them. */
  readonly written?: (bytes: number) => void;
}

export async function runOrder(
  sources: readonly VersionSource[],
  order: MergeJob,
  tools: MergeTools,
): Promise<MergeResult> {
  const { world, codecs, rest } = tools;
  const { range, isBottom, stopAfterBytes, tableBytes, snapshots, dropped } = order;
  const open = new Set<ObjectWriter>();
  try {
    const { ingested } = order;
    const inputs = ingested
      ? [...sources, new EntrySource(ingested.entries, ingested.sequence)]
      : sources;
    return await runMerge(inputs, {
      range,
      isBottom,
      stopAfterBytes,
      tableBytes,
      snapshots,
      dropped,
      table: { ...order.table, codecs },
      openOutput: () => openOutput(tools, open),
      clock: world.clock,
      scheduler: { ...world.scheduler, yield: rest },
      get sliceMs() {
        return tools.sliceMs;
      },
    });
  } finally {
    // A writer is left only if the merge failed.
    for (const writer of open) writer.discard();
  }
}

function openOutput(tools: MergeTools, open: Set<ObjectWriter>): TableOutput {
  const { objects, takeName, nameReady, written } = tools;
  const name = takeName();
  const writer = objects.create?.(name) ?? memoryWriter(objects, name);
  open.add(writer);
  return {
    name,
    sink: writer,
    async finish({ bytes }) {
      await writer.finish();
      open.delete(writer);
      written?.(bytes);
      await nameReady?.();
    },
  };
}

/**
 * Collects an SSTable for a store that receives objects as a whole. The SSTable is in memory twice
 * while it is sent. A merge writes one SSTable of its run and one of the past run at a time.
 */
function memoryWriter(objects: Pick<ObjectStore, 'put'>, name: string): ObjectWriter {
  const sink = new MemorySink();
  return {
    write: (part) => sink.write(part),
    finish: () => objects.put(name, sink.body),
    discard: () => {},
  };
}
