/**
 * The input of one merge of sources into new SSTables: plain data and interfaces, so that it runs
 * on any thread.
 */

import type { Clock, Scheduler } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { PastTable, TableEntry } from '../manifest/manifest.ts';
import type { TableOptions } from '../table/table-options.ts';
import type { TableSink } from '../table/table-sink.ts';

/** An SSTable that is being written. */
export interface TableOutput {
  readonly name: string;
  readonly sink: TableSink;
  /** Makes the SSTable durable. */
  finish(entry: TableEntry): Promise<void>;
}

export interface MergeTask {
  readonly range: KeyRange;
  /**
   * Sequences at which views still read. Later snapshots are never below the newest entry of the
   * inputs.
   */
  readonly snapshots: readonly number[];
  /**
   * No older data is below the inputs. Settled tombstones are therefore removed, and settled
   * entries lose their sequences.
   */
  readonly isBottom: boolean;
  /** Ranges of keys that no view can read any more. */
  readonly dropped: readonly KeyRange[];
  readonly table: TableOptions;
  /**
   * An SSTable is closed at the first new key after this many bytes, together with that of the past
   * run.
   */
  readonly tableBytes: number;
  /** The merge stops at the first new key after this many bytes of output; never if `undefined`. */
  readonly stopAfterBytes: number | undefined;
  readonly openOutput: () => TableOutput;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Length of a slice in milliseconds, after which the merge yields. */
  readonly sliceMs: number;
}

export interface MergeResult {
  readonly outputs: readonly TableEntry[];
  /** The past run of the outputs. */
  readonly past: readonly PastTable[];
  /**
   * Set if the merge stopped early, at the beginning of a user key. The inputs still contain the
   * keys from this one on.
   */
  readonly resumeAt: Uint8Array | undefined;
  readonly counters: MergeCounters;
}

interface MergeCounters {
  inputEntries: number;
  outputEntries: number;
  outputBytes: number;
}
