/** Carries out a merge here: reads the sources, builds the tables in memory, and puts each as one object. */

import type { World } from '#base';
import { type CompactionResult, runCompaction } from '../compaction/index.ts';
import type { Source } from '../merge/index.ts';
import type { ObjectStore } from '../object/store.ts';
import { MemorySink } from '../table/table-sink.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import type { MergeOrder } from './merge-order.ts';

export interface MergeTools {
  readonly world: World;
  readonly objects: ObjectStore;
  readonly codecs: ValueCodecs;
  /** The name of the next table. */
  readonly takeName: () => string;
  /** Resolves when `takeName` may be called again; undefined when it may. */
  readonly nameReady?: () => Promise<void> | undefined;
  /** Between two slices; a rejection ends the merge. */
  readonly rest: () => Promise<void>;
  readonly sliceMs: number;
}

export function runOrder(
  sources: readonly Source[],
  order: MergeOrder,
  tools: MergeTools,
): Promise<CompactionResult> {
  const { world, objects, codecs, takeName, nameReady, rest, sliceMs } = tools;
  const { range, isBottom, stopAfterBytes, tableBytes, snapshots, dropped } = order;
  return runCompaction(sources, {
    range,
    isBottom,
    stopAfterBytes,
    tableBytes,
    snapshots,
    dropped,
    table: { ...order.table, codecs },
    openOutput: () => {
      const name = takeName();
      const sink = new MemorySink();
      const finish = async () => {
        await objects.put(name, sink.body);
        await nameReady?.();
      };
      return { name, sink, finish };
    },
    clock: world.clock,
    scheduler: { ...world.scheduler, yield: rest },
    sliceMs,
  });
}
