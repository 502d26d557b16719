/**
 * What reading from a remote place adds to a cost: waits for pieces of tables (blocks, or the parts that a local disk keeps) that are neither in
 * memory nor on the local disk. A scan waits for several neighboring pieces at once, rows by key are fetched one after the other.
 */

import type { Index, Table } from '#catalog';
import type { RemoteReads } from '#statistics';
import type { TableRows } from './table-rows.ts';

/** Costs of a microsecond: a cost of 1 takes some 13 ns. */
const costOfMicro = 77;

export interface Fetches {
  /** How often one run of the scan probably waits. */
  readonly waits: number;
  /** Of these waits. */
  readonly cost: number;
  /** However often the scan runs: a piece that has been fetched is at hand. */
  readonly costMax: number;
}

/** How a path reaches its rows. */
interface Reach {
  readonly index: Index | undefined;
  /** The values of a column that are looked up one by one. */
  readonly among: { readonly values?: readonly unknown[] } | undefined;
  /** At most one row. */
  readonly isUnique: boolean;
}

/** What is read by a path. */
interface Reading {
  /** Of those of the path. */
  readonly rows: number;
  /** Out of the index alone. */
  readonly isCovered: boolean;
}

/** Undefined where everything is on this machine. */
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

/** For a share of a range, in as many parts: the first piece of each is read alone. */
function rangeWaits(remote: RemoteReads | undefined, share: number, seeks: number): number {
  return (remote?.scanWaits ?? 0) * share + pointWaits(remote, seeks);
}

/** For rows anywhere in a range: those in one piece wait once. */
function pointWaits(remote: RemoteReads | undefined, rows: number): number {
  if (remote === undefined) return 0;
  const { pieces, cold } = remote;
  return pieces <= 1 ? cold : cold * (1 - (1 - 1 / pieces) ** rows);
}
