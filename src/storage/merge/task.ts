/** What one merge of sources into new tables needs to know: plain data and seams, so that it can run anywhere. */

import type { Clock, Scheduler } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { TableOptions } from '../table/table-options.ts';
import type { TableSink } from '../table/table-sink.ts';

/** A table in the making. */
export interface TableOutput {
  readonly name: string;
  readonly sink: TableSink;
  /** Makes the table durable. */
  finish(entry: TableEntry): Promise<void>;
}

export interface MergeTask {
  readonly range: KeyRange;
  /** Sequences that somebody still reads at. Later snapshots are never below the newest entry of the inputs. */
  readonly snapshots: readonly number[];
  /** Nothing older lies below the inputs: settled deletions vanish, and settled entries lose their sequences. */
  readonly isBottom: boolean;
  /** Keys that nobody may see any more. */
  readonly dropped: readonly KeyRange[];
  readonly table: TableOptions;
  /** A table is closed at the first whole key after so many bytes. */
  readonly tableBytes: number;
  /** The merge stops at the first whole key after so many bytes of output; it does not when undefined. */
  readonly stopAfterBytes: number | undefined;
  readonly openOutput: () => TableOutput;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** After so long on the processor the merge lets others run. */
  readonly sliceMs: number;
}

export interface MergeResult {
  readonly outputs: readonly TableEntry[];
  /** Set when the merge stopped early, at a whole user key: inputs still hold the keys from here on. */
  readonly resumeAt: Uint8Array | undefined;
  readonly counters: MergeCounters;
}

export interface MergeCounters {
  inputEntries: number;
  outputEntries: number;
  outputBytes: number;
}
