/**
 * One merge of SSTables as plain data, so that any thread can run it, and the interface of its
 * executor.
 */

import type { SortedEntries } from '../contract/sorted-entries.ts';
import type { KeyRange } from '../contract/store.ts';
import type { VersionSource } from '../cursor/source.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { Component, ComponentRequests } from '../object/component-requests.ts';
import type { TableOptions } from '../table/table-options.ts';
import type { MergeResult } from './task.ts';

/** A job, which must survive a structured clone. */
export interface MergeJob {
  /** The component for which requests for inputs and outputs are counted: `db` for a flush. */
  readonly component: Extract<Component, 'db' | 'compactor'>;
  /** Sorted runs, newest first. Each is a list of SSTables in key order. */
  readonly inputs: readonly (readonly TableEntry[])[];
  /** An input in memory that is sent with the job. All entries have the same sequence. */
  readonly ingested?: { readonly entries: SortedEntries; readonly sequence: number };
  /**
   * True if there are no SSTables to open. The only source is in the memory of the store
   * (`VersionSource.walk`), which sends its entries in batches.
   */
  readonly isHandedOver?: boolean;
  readonly range: KeyRange;
  readonly isBottom: boolean;
  /**
   * True if writers wait for this merge, which then gets the larger share of the time if several
   * run.
   */
  readonly isUrgent: boolean;
  readonly stopAfterBytes: number | undefined;
  readonly tableBytes: number;
  /** Sequences at which views still read. */
  readonly snapshots: readonly number[];
  /** Ranges of keys that no view can read any more. */
  readonly dropped: readonly KeyRange[];
  readonly table: Omit<TableOptions, 'codecs'>;
}

/** The part of a merge that stays with the store that gives the job. */
export interface MergeClient {
  /** The inputs, open for reading. */
  readonly sources: readonly VersionSource[];
  /**
   * Returns a unique name for a new SSTable. If the merge fails, the store deletes the object with
   * this name.
   */
  readonly nextName: () => string;
}

export interface MergeExecutor {
  /**
   * Runs a merge. Resolves when the new SSTables are durable. Rejects with `Cancelled` if the
   * executor closes.
   */
  merge(order: MergeJob, client: MergeClient): Promise<MergeResult>;
  /** Requests to a remote store, if they are not counted elsewhere. */
  readonly requests?: readonly ComponentRequests[] | undefined;
  /** Cancels all running merges. */
  close(): Promise<void>;
}

/** Ends a merge when the store closes. */
export class Cancelled extends Error {}
