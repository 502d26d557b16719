/** What surveys have found, and which ones are wanted: a planner asks, and whoever works in the background answers later. */

import type { Index, Table } from '#catalog';
import { type Entries, tablesCounted } from './counted.ts';
import type { Statistics } from './statistics.ts';

/** A key that nobody has looked at, or not since its table had another size. */
interface SurveyWish {
  readonly table: Table;
  /** Undefined: the primary key. */
  readonly index: Index | undefined;
}

interface Finding {
  /** Rows of a value, by the number of columns. */
  readonly rowsOfValues: readonly number[];
  /** Of the table then. */
  readonly rows: number;
}

/** Tables below are not worth a survey. */
const rowsMin = 1_000;
/** A table that has become so many times as large, or as small, is surveyed again. */
const factor = 2;
/** Of all keys; the oldest findings go first. So many tables keep the number of their last survey, too. */
const findingsMax = 10_000;

export class Surveys implements Statistics {
  /** Called when there is a new wish. */
  wished: () => void = () => {};
  private readonly counts: Statistics;
  private readonly findings = new Map<number, Finding>();
  private readonly wishes = new Map<number, SurveyWish>();
  /** Of each table the number of its last survey, counted over all tables: none comes twice. */
  private readonly numbers = new Map<number, number>();
  private surveys = 0;

  constructor(entries: Entries) {
    this.counts = tablesCounted(entries);
  }

  rowsOf(table: Table): number {
    return this.counts.rowsOf(table);
  }

  rowsWithin(...of: Parameters<Statistics['rowsWithin']>): number {
    return this.counts.rowsWithin(...of);
  }

  rowsOfValue(table: Table, index: Index | undefined, members: number): number | undefined {
    const key = physicalIdOf({ table, index });
    const finding = this.findings.get(key);
    if (!this.wishes.has(key) && this.isDue(table, finding)) {
      this.wishes.set(key, { table, index });
      this.wished();
    }
    return finding?.rowsOfValues[members - 1];
  }

  surveyOf(table: Table): number {
    return this.numbers.get(table.physicalId) ?? 0;
  }

  /** The wish that has waited longest. */
  next(): SurveyWish | undefined {
    return this.wishes.values().next().value;
  }

  /** Ends a wish; undefined when nothing could be found. */
  found(wish: SurveyWish, rowsOfValues: readonly number[] | undefined): void {
    const key = physicalIdOf(wish);
    this.wishes.delete(key);
    const { table } = wish;
    const rows = this.rowsOf(table);
    keepNewest(this.findings, key, { rowsOfValues: rowsOfValues ?? [], rows });
    if (rowsOfValues === undefined) return;
    this.surveys++;
    keepNewest(this.numbers, table.physicalId, this.surveys);
  }

  private isDue(table: Table, finding: Finding | undefined): boolean {
    const rows = this.rowsOf(table);
    if (rows < rowsMin) return false;
    return finding === undefined || rows > finding.rows * factor || rows * factor < finding.rows;
  }
}

function physicalIdOf({ table, index }: SurveyWish): number {
  return (index ?? table).physicalId;
}

/** Puts it last; what was put first goes when there are too many. */
function keepNewest<V>(map: Map<number, V>, key: number, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= findingsMax) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
