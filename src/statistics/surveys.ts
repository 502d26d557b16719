/** What surveys have found, and which table is due: one that a plan has asked about, else as operations.md §8.5 says. */

import type { Clock } from '#base';
import type { Table } from '#catalog';
import { type Entries, tablesCounted } from './counted.ts';
import { type RemotePlace, RemoteTables } from './remote.ts';
import type { Statistics, Surveyed } from './statistics.ts';
import { isOtherFinding } from './synopsis/difference.ts';
import type { TableSynopsis } from './synopsis/synopsis.ts';

interface Finding {
  /** Undefined: the table could not be read. */
  readonly synopsis: TableSynopsis | undefined;
  /** Of the table then. */
  readonly rows: number;
  readonly atMs: number;
  /**
   * Of the last survey that found something new: when it was, in Unix milliseconds, and more than the number before. So it is the same in each process that
   * knows of the survey, also after a start.
   */
  readonly number: number;
  /** Rows written since. */
  changes: number;
}

/** A plan does not ask for a survey of fewer rows. */
const rowsMin = 100;
/** A table that has become so many times as large, or as small, is surveyed again when a plan asks; */
const askedFactor = 2;
/** and what was found of it counts no more after so much. */
const otherFactor = 4;
/** Of all tables; the oldest findings go first. */
const findingsMax = 4_096;
const changesMin = 10_000;
const ageMaxMs = 24 * 3_600_000;

export class Surveys implements Statistics {
  /** Called when there is a new wish. */
  wished: () => void = () => {};
  /** Called with what a survey has found, where that is new. */
  kept: (synopsis: TableSynopsis) => void = () => {};
  private readonly counts: ReturnType<typeof tablesCounted>;
  private readonly remote: RemoteTables;
  private readonly clock: Clock;
  /** By physical id, as are the wishes. */
  private readonly findings = new Map<number, Finding>();
  private readonly wishes = new Map<number, Table>();

  constructor(store: Entries & RemotePlace, clock: Clock) {
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

  /** Rows of a table were written. */
  changed(table: Table, rows: number): void {
    const finding = this.findings.get(table.physicalId);
    if (finding !== undefined) finding.changes += rows;
  }

  /** The table that a plan has waited for longest. */
  wish(): Table | undefined {
    return this.wishes.values().next().value;
  }

  /**
   * The one of these tables, by id, that is due although no plan asks: one that was never surveyed, else the one with the most changes, at least
   * 10,000, else the one whose survey is oldest, more than a day.
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

  /** Ends a survey; without a synopsis when the table could not be read. */
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

  /** Takes what another process has found, or this one before it was started anew, unless something newer is known. */
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

  /** What is known of these tables, and about how many rows were written since; in their order. */
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

  /** Forgets tables that are gone. */
  keepOnly(tables: readonly Table[]): void {
    const ids = new Set(tables.map(({ physicalId }) => physicalId));
    for (const id of this.findings.keys()) if (!ids.has(id)) this.findings.delete(id);
    for (const id of this.wishes.keys()) if (!ids.has(id)) this.wishes.delete(id);
  }
}

function numberOf({ collectedAtUnixMs }: TableSynopsis, before: Finding | undefined): number {
  return Math.max(collectedAtUnixMs, (before?.number ?? 0) + 1);
}

/** Writes of another process show in the number of rows only. */
function changesOf(finding: Finding, rows: number): number {
  return Math.max(finding.changes, Math.abs(rows - finding.rows));
}

/** Small tables may grow and shrink. */
function isOther(now: number, then: number, factor: number): boolean {
  const [more, less] = [Math.max(now, then), Math.max(1, Math.min(now, then))];
  return more >= rowsMin && more > less * factor;
}
