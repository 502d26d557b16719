/**
 * Estimates the cost of reads from a remote storage location. A read waits for each piece of a table that is neither in memory nor on the local disk.
 * A piece is a block, or the part of a table that a local disk caches. A scan waits for several neighboring pieces in one wait. Rows by key are fetched
 * one after the other.
 */

import type { Index, Table } from '#catalog';
import type { RemoteReads } from '#statistics';
import type { TableRows } from './table-rows.ts';

/** Cost of one microsecond: one cost unit takes about 13 ns. */
const costOfMicro = 77;

export interface Fetches {
  /** Expected number of waits of one run of the scan. */
  readonly waits: number;
  /** Cost of these waits. */
  readonly cost: number;
  /** Cost of fetching each cold piece once. This bounds the cost of any number of runs, since a fetched piece is local afterwards. */
  readonly costMax: number;
}

/** The key by which a path finds its rows. */
interface Reach {
  readonly index: Index | undefined;
  /** The values of a column that are looked up one by one. */
  readonly among: { readonly values?: readonly unknown[] } | undefined;
  /** The path returns at most one row. */
  readonly isUnique: boolean;
}

/** The amount that a scan reads from its path. */
interface Reading {
  /** Number of rows of the path that are read. */
  readonly rows: number;
  /** The index alone supplies all columns. */
  readonly isCovered: boolean;
}

/** Estimates the remote reads of a path; `undefined` if all of its data is local. */
export function fetchesOf(
  table: Table,
  { index, among, isUnique }: Reach,
  { rows, isCovered }: Reading,
  counts: TableRows,
): Fetches | undefined {
  const key = counts.remote(table, index);
  const fetched = index === undefined || isCovered ? undefined : counts.remote(table, undefined);
  if (key === undefined && fetched === undefined) return undefined;
  const share = isUnique ? 0 : Math.min(1, rows / counts.of(table).rows);
  const seeks = among?.values?.length ?? 1;
  const found = isUnique ? 1 : rows;
  const waits = rangeWaits(key, share, seeks) + pointWaits(fetched, found);
  const micros = Math.max(key?.micros ?? 0, fetched?.micros ?? 0);
  const wait = micros * costOfMicro;
  const cold = (key?.cold ?? 0) + (fetched?.cold ?? 0);
  return { waits, cost: waits * wait, costMax: cold * wait };
}

/** Estimates the waits for a fraction of a key range that is read in `seeks` parts. The first piece of each part is read alone. */
function rangeWaits(remote: RemoteReads | undefined, share: number, seeks: number): number {
  return (remote?.scanWaits ?? 0) * share + pointWaits(remote, seeks);
}

/** Estimates the waits for `rows` rows at random positions of a range. Rows in the same piece share one wait. */
function pointWaits(remote: RemoteReads | undefined, rows: number): number {
  if (remote === undefined) return 0;
  const { pieces, cold } = remote;
  return pieces <= 1 ? cold : cold * (1 - (1 - 1 / pieces) ** rows);
}
