/** The results of surveys, and the choice of the next table: a table that a plan has requested, otherwise a table by the rules of docs/statistics.md. */

import type { Clock } from '#base';
import type { Table } from '#catalog';
import { type EntryCounts, tablesCounted } from './counted.ts';
import { type RemotePlace, RemoteTables } from './remote.ts';
import type { Statistics, Surveyed } from './statistics.ts';
import { isOtherFinding } from './synopsis/difference.ts';
import type { TableSynopsis } from './synopsis/synopsis.ts';

interface Finding {
  /** Table statistics; `undefined` if the table could not be read. */
  readonly synopsis: TableSynopsis | undefined;
  /** Approximate number of rows of the table at the time of the survey. */
  readonly rows: number;
  readonly atMs: number;
  /**
   * The number of the last survey with a different result: its time in Unix milliseconds, but always more than the previous number. Each process
   * that has the survey therefore assigns it the same number, even after a restart.
   */
  readonly number: number;
  /** Rows written since the survey. */
  changes: number;
}

/** Minimum number of rows of a table for which a plan requests a survey. */
const rowsMin = 100;
/** If a table grows or shrinks by more than this factor, the next plan requests a new survey. */
const askedFactor = 2;
/** If a table grows or shrinks by more than this factor, the result of its survey is no longer used. */
const otherFactor = 4;
/** Maximum number of findings of all tables; the oldest ones are removed first. */
const findingsMax = 4_096;
const changesMin = 10_000;
const ageMaxMs = 24 * 3_600_000;

export class Surveys implements Statistics {
  /** Called when a plan requests a survey. */
  wished: () => void = () => {};
  /** Called with the synopsis of a survey if it differs from the previous one. */
  kept: (synopsis: TableSynopsis) => void = () => {};
  private readonly counts: ReturnType<typeof tablesCounted>;
  private readonly remote: RemoteTables;
  private readonly clock: Clock;
  /** Findings by physical table id, like `wishes`. */
  private readonly findings = new Map<number, Finding>();
  private readonly wishes = new Map<number, Table>();

  constructor(store: EntryCounts & RemotePlace, clock: Clock) {
    this.counts = tablesCounted(store);
    this.remote = new RemoteTables(store, clock);
    this.clock = clock;
  }

  rowsOf(table: Table): number {
    return this.counts.rowsOf(table);
  }

  rowsWithin(...of: Parameters<Statistics['rowsWithin']>): number {
    return this.counts.rowsWithin(...of);
  }

  remoteReads(...of: Parameters<RemoteTables['reads']>): ReturnType<RemoteTables['reads']> {
    return this.remote.reads(...of);
  }

  surveyed(table: Table): Surveyed | undefined {
    const finding = this.findings.get(table.physicalId);
    const rows = this.rowsOf(table);
    const isDue =
      rows >= rowsMin && (finding === undefined || isOther(rows, finding.rows, askedFactor));
    if (isDue && !this.wishes.has(table.physicalId)) {
      this.wishes.set(table.physicalId, table);
      this.wished();
    }
    const { synopsis } = finding ?? {};
    if (finding === undefined || synopsis === undefined) return undefined;
    if (isOther(rows, finding.rows, otherFactor)) return undefined;
    const ageMs = this.clock.monotonicMs() - finding.atMs;
    return { synopsis, ageMs, changes: changesOf(finding, rows) };
  }

  surveyOf(table: Table): number {
    return this.findings.get(table.physicalId)?.number ?? 0;
  }

  /** Counts rows written to a table. */
  changed(table: Table, rows: number): void {
    const finding = this.findings.get(table.physicalId);
    if (finding !== undefined) finding.changes += rows;
  }

  /** Returns the table with the oldest request of a plan. */
  wish(): Table | undefined {
    return this.wishes.values().next().value;
  }

  /**
   * Returns the table that is due without a request of a plan. The first table without a survey is due. If all tables have one, the table with the
   * most changes is due if it has at least 10,000. Otherwise the table with the oldest survey is due if that is older than a day. `tables` must be
   * sorted by id.
   */
  due(tables: readonly Table[]): Table | undefined {
    const nowMs = this.clock.monotonicMs();
    let changed: { readonly table: Table; readonly changes: number } | undefined;
    let oldest: { readonly table: Table; readonly atMs: number } | undefined;
    for (const table of tables) {
      const finding = this.findings.get(table.physicalId);
      if (finding === undefined) return table;
      const { atMs } = finding;
      const changes = changesOf(finding, this.rowsOf(table));
      if (changes >= changesMin && changes > (changed?.changes ?? 0)) changed = { table, changes };
      if (nowMs - atMs > ageMaxMs && atMs < (oldest?.atMs ?? Infinity)) oldest = { table, atMs };
    }
    return changed?.table ?? oldest?.table;
  }

  /** Records the end of a survey. `synopsis` is `undefined` if the table could not be read. */
  found(table: Table, synopsis: TableSynopsis | undefined): void {
    const { physicalId } = table;
    this.wishes.delete(physicalId);
    const before = this.findings.get(physicalId);
    const isNew = synopsis !== undefined && isOtherFinding(before?.synopsis, synopsis);
    if (isNew) this.kept(synopsis);
    const number = isNew ? numberOf(synopsis, before) : (before?.number ?? 0);
    const atMs = this.clock.monotonicMs();
    const rows = this.rowsOf(table);
    this.keep(physicalId, { synopsis, rows, atMs, number, changes: 0 });
  }

  /** Records a synopsis of another process, or of this one before a restart, unless a newer synopsis is recorded. */
  restore(synopsis: TableSynopsis): void {
    const { physicalId, tableRows, collectedAtUnixMs } = synopsis;
    const before = this.findings.get(physicalId);
    const known = before?.synopsis?.collectedAtUnixMs;
    if (known !== undefined && known >= collectedAtUnixMs) return;
    this.wishes.delete(physicalId);
    const ageMs = Math.max(0, this.clock.unixMs() - collectedAtUnixMs);
    const atMs = this.clock.monotonicMs() - ageMs;
    const number = numberOf(synopsis, before);
    this.keep(physicalId, { synopsis, rows: tableRows, atMs, number, changes: 0 });
  }

  private keep(physicalId: number, finding: Finding): void {
    this.findings.delete(physicalId);
    this.findings.set(physicalId, finding);
    if (this.findings.size <= findingsMax) return;
    for (const oldest of this.findings.keys()) {
      this.findings.delete(oldest);
      return;
    }
  }

  /** Returns the synopses of these tables, in their order, with the approximate number of rows written since. */
  reported(
    tables: readonly Table[],
  ): readonly { readonly synopsis: TableSynopsis; readonly changes: number }[] {
    return tables.flatMap((table) => {
      const finding = this.findings.get(table.physicalId);
      if (finding?.synopsis === undefined) return [];
      const changes = changesOf(finding, this.rowsOf(table));
      return [{ synopsis: finding.synopsis, changes }];
    });
  }

  /** Removes the findings and requests of all tables except these. */
  keepOnly(tables: readonly Table[]): void {
    const ids = new Set(tables.map(({ physicalId }) => physicalId));
    for (const id of this.findings.keys()) if (!ids.has(id)) this.findings.delete(id);
    for (const id of this.wishes.keys()) if (!ids.has(id)) this.wishes.delete(id);
  }
}

function numberOf({ collectedAtUnixMs }: TableSynopsis, before: Finding | undefined): number {
  return Math.max(collectedAtUnixMs, (before?.number ?? 0) + 1);
}

/** Returns the number of changes since the survey. Writes of other processes are visible only in the number of rows. */
function changesOf(finding: Finding, rows: number): number {
  return Math.max(finding.changes, Math.abs(rows - finding.rows));
}

/** Returns whether two sizes differ by more than `factor`. Tables below `rowsMin` rows never do. */
function isOther(now: number, then: number, factor: number): boolean {
  const [more, less] = [Math.max(now, then), Math.max(1, Math.min(now, then))];
  return more >= rowsMin && more > less * factor;
}
