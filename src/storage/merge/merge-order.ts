/** One merge of tables as plain data, so that it can be carried out anywhere; and the seam towards where that is. */

import type { SortedEntries } from '../contract/sorted-entries.ts';
import type { KeyRange } from '../contract/store.ts';
import type { VersionSource } from '../cursor/source.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { Component, ComponentRequests } from '../object/component-requests.ts';
import type { TableOptions } from '../table/table-options.ts';
import type { MergeResult } from './task.ts';

/** Survives a structured clone. */
export interface MergeOrder {
  /** Whose requests those for inputs and outputs are: a flush is the database's. */
  readonly component: Extract<Component, 'db' | 'compactor'>;
  /** Runs newest first, each a list of tables in key order. */
  readonly inputs: readonly (readonly TableEntry[])[];
  /** An input in memory, which goes along to where the merge is carried out; all of one sequence. */
  readonly ingested?: { readonly entries: SortedEntries; readonly sequence: number };
  /** There are no tables to open: the entries of the only source, which lie in the memory of the store (`VersionSource.walk`), are handed over a batch at a time. */
  readonly isHandedOver?: boolean;
  readonly range: KeyRange;
  readonly isBottom: boolean;
  /** Writers wait for this one: it gets the larger share where several run. */
  readonly isUrgent: boolean;
  readonly stopAfterBytes: number | undefined;
  readonly tableBytes: number;
  /** Sequences that somebody still reads at. */
  readonly snapshots: readonly number[];
  /** Keys that nobody may see any more. */
  readonly dropped: readonly KeyRange[];
  readonly table: Omit<TableOptions, 'codecs'>;
}

/** What stays with the store that gives the order. */
export interface MergeClient {
  /** The inputs, open for reading. */
  readonly sources: readonly VersionSource[];
  /** A name for a table in the making, which no other one has. What a failing merge has made under it is the store's to delete. */
  readonly nextName: () => string;
}

export interface MergeSite {
  /** Resolves when the new tables are durable. Rejects with `Cancelled` when the site closes. */
  merge(order: MergeOrder, client: MergeClient): Promise<MergeResult>;
  /** What it has asked of a remote store, when that is not counted elsewhere. */
  readonly requests?: readonly ComponentRequests[] | undefined;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Thrown out of a merge when the store closes. */
export class Cancelled extends Error {}
