/** Row counts of tables and of parts of their keys: counted by the store, taken from table statistics, or assumed if there are neither. */

import type { Index, Table } from '#catalog';
import type { IntervalBound } from '#layout';
import {
  distinctNow,
  equalShare,
  groupOf,
  nullShare,
  type RemoteReads,
  rangeShare,
  type Statistics,
  type Surveyed,
  type SurveyedColumn,
  surveyedColumn,
  tupleShare,
} from '#statistics';
import type { Scalar } from '#value';
import type { BoundExpression } from '../bind/bound.ts';
import type { Sarg } from '../facts/sarg.ts';
import { allTogether } from './damping.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type RowEstimate, type Selectivity } from './estimate.ts';

/** Maximum number of values of a list that are counted. They are spread evenly over the list, and the rest is assumed to have the same average. */
const countedMax = 256;

/** A part of a key range: the first columns are pinned and the next column is bounded. */
interface KeyPart {
  readonly prefix: readonly Sarg[];
  readonly among: Sarg | undefined;
  readonly lower: Sarg | undefined;
  readonly upper: Sarg | undefined;
}

/** The size and the storage location of a table for which a plan was made. */
export interface TableEstimate {
  readonly table: Table;
  /** Row count of the table at planning time. */
  readonly rows: number;
  /** Number of the table statistics that the plan used (`Statistics.surveyOf`); 0 without statistics. */
  readonly survey: number;
  /** The remote reads that the planner has estimated: of rows if `index` is undefined, else of entries of the index. */
  readonly remote: readonly RemoteEstimate[];
  /** The table statistics that the planner used, for display only. */
  readonly surveyFacts: SurveyFacts | undefined;
}

interface RemoteEstimate {
  readonly index: Index | undefined;
  /** Cost of remote reads at planning time; `undefined` if the data was local. */
  readonly reads: RemoteReads | undefined;
}

interface SurveyFacts {
  readonly coverage: Surveyed['synopsis']['coverage'];
  readonly observedRows: number;
  readonly tableRows: number;
  readonly ageMs: number;
  readonly changes: number;
}

interface KnownTable extends Omit<TableEstimate, 'remote'>, RowEstimate {
  readonly rows: number;
  readonly surveyed: Surveyed | undefined;
  /** The row count comes from the store, even if `rows` was raised to `assumed.tableRows`. */
  readonly isCounted: boolean;
}

/**
 * Row estimates of the tables of one plan. A table counts as having at least `assumed.tableRows` rows, for three reasons. Every plan is fast below that
 * size. A growing table does not need a new plan immediately. A path by key conflicts with fewer writers, because it reads less.
 */
export class TableRows {
  private readonly statistics: Statistics | undefined;
  private readonly known = new Map<number, KnownTable>();
  /** Remote reads by table id. */
  private readonly places = new Map<number, RemoteEstimate[]>();

  constructor(statistics: Statistics | undefined) {
    this.statistics = statistics;
  }

  /** The tables whose estimates the plan has used, if the store counts their rows. */
  get tableEstimates(): readonly TableEstimate[] {
    return [...this.known.values()]
      .filter(({ isCounted }) => isCounted)
      .map(({ table, rows, survey, surveyFacts }) => {
        const remote = this.places.get(table.id) ?? [];
        return { table, rows, survey, surveyFacts, remote };
      });
  }

  of(table: Table): KnownTable {
    const known = this.known.get(table.id);
    if (known !== undefined) return known;
    const counted = this.statistics?.rowsOf(table);
    const rows = Math.max(assumed.tableRows, Math.round(counted ?? 0));
    const survey = this.statistics?.surveyOf(table) ?? 0;
    const surveyed = this.statistics?.surveyed(table);
    const isCounted = counted !== undefined;
    // A small table is raised to the assumed size, so its number is not a counted one.
    const origin = isCounted && counted >= assumed.tableRows ? 'counted' : 'assumed';
    const surveyFacts = surveyed && factsOf(surveyed);
    const found = { table, rows, survey, surveyed, surveyFacts, isCounted, origin } as const;
    this.known.set(table.id, found);
    return found;
  }

  /** Estimates the remote reads of the rows of a table, or of the entries of an index; `undefined` if they are local. */
  remote(table: Table, index: Index | undefined): RemoteReads | undefined {
    if (this.statistics?.remoteReads === undefined) return undefined;
    let places = this.places.get(table.id);
    if (places === undefined) {
      places = [];
      this.places.set(table.id, places);
    }
    const known = places.find((place) => place.index === index);
    if (known !== undefined) return known.reads;
    const reads = this.statistics.remoteReads(table, index);
    // The plan now depends on this table, as if it had used its row count.
    if (reads !== undefined) this.of(table);
    places.push({ index, reads });
    return reads;
  }

  within(table: Table, index: Index | undefined, part: KeyPart): RowEstimate {
    const { rows: all, origin } = this.of(table);
    const counted = all > assumed.tableRows ? this.count(table, index, part) : undefined;
    if (counted !== undefined) return { rows: Math.max(1, counted), origin: 'counted' };
    const pinned = this.pinned(table, part);
    const bounded = this.bounded(table, index?.columns ?? table.primaryKey, part);
    const rows = Math.min(all, all * pinned.share * bounded.share);
    const least = leastTrusted(origin, pinned.origin, bounded.origin);
    return { rows: Math.max(1, rows), origin: least };
  }

  /** Returns the statistics of the column; `undefined` if no statistics job has read it. */
  column(table: Table, id: number): SurveyedColumn | undefined {
    const { surveyed } = this.of(table);
    return surveyed && surveyedColumn(surveyed.synopsis, table, id);
  }

  /** Returns how many distinct tuples of these columns a table has, without tuples that contain NULL; `undefined` if there are no statistics. */
  distinctIn(table: Table, columns: readonly number[]): number | undefined {
    const { surveyed, rows } = this.of(table);
    if (surveyed === undefined) return undefined;
    const { synopsis } = surveyed;
    const group = columns.length > 1 ? groupOf(synopsis, table, columns) : undefined;
    if (group !== undefined) return distinctNow(group, synopsis, rows);
    let product = 1;
    for (const id of columns) {
      const column = this.column(table, id);
      if (column === undefined) return undefined;
      product *= distinctNow(column.synopsis, synopsis, rows);
    }
    return Math.min(product, rows);
  }

  /** Returns the share of rows with these values in these columns; `undefined` without statistics. A value that is computed only at run time is passed as `undefined`. */
  equalShare(table: Table, pins: ReadonlyMap<number, Scalar | undefined>): number | undefined {
    const { surveyed, rows } = this.of(table);
    if (surveyed === undefined) return undefined;
    const ids = [...pins.keys()].sort((a, b) => a - b);
    const { synopsis } = surveyed;
    const group = ids.length > 1 ? groupOf(synopsis, table, ids) : undefined;
    const isGrouped = group !== undefined && ![...pins.values()].includes(null);
    if (isGrouped) {
      const values = ids.map((id) => pins.get(id));
      const isGrown = values.includes(undefined);
      if (isGrown) return 1 / distinctNow(group, synopsis, rows);
      return tupleShare(group, synopsis, values);
    }
    const shares: number[] = [];
    for (const [id, value] of pins) {
      const column = this.column(table, id);
      if (column === undefined) return undefined;
      shares.push(value === null ? nullShare(column) : equalShare(column, value));
    }
    return allTogether(shares);
  }

  private pinned(table: Table, { prefix, among }: KeyPart): Selectivity {
    const { rows: all } = this.of(table);
    if (prefix.length === 0 && among === undefined) return { share: 1, origin: 'proven' };
    const pins = new Map(prefix.map((sarg) => [sarg.column, literalOf(sarg)]));
    const times = among?.values?.length ?? 1;
    if (among !== undefined) pins.set(among.column, undefined);
    const share = this.equalShare(table, pins);
    if (share !== undefined) return { share: Math.min(1, share * times), origin: 'surveyed' };
    let rest = times;
    for (const { op } of prefix) rest *= op === 'is_null' ? assumed.isNull : shareOfValue(all);
    if (among !== undefined) rest *= shareOfValue(all);
    return { share: Math.min(1, rest), origin: 'assumed' };
  }

  /** Estimates the share of the pinned entries that are between the bounds. */
  private bounded(table: Table, key: readonly number[], { prefix, ...part }: KeyPart): Selectivity {
    const { lower, upper } = part;
    if (lower === undefined && upper === undefined) return { share: 1, origin: 'proven' };
    const column = this.column(table, key[prefix.length] as number);
    const [low, high] = [lower && literalOf(lower), upper && literalOf(upper)];
    const isKnown =
      (lower === undefined || low !== undefined) && (upper === undefined || high !== undefined);
    const share = column && isKnown ? rangeShare(column, low, high) : undefined;
    if (share !== undefined) return { share, origin: 'surveyed' };
    const isBoth = lower !== undefined && upper !== undefined;
    return { share: isBoth ? assumed.keyInterval : assumed.keyRange, origin: 'assumed' };
  }

  /** Counts the rows of a key part; `undefined` if a value is computed only at run time. */
  private count(table: Table, index: Index | undefined, part: KeyPart): number | undefined {
    const values: Scalar[] = [];
    for (const sarg of part.prefix) {
      const value = literalOf(sarg);
      if (value === undefined) return undefined;
      values.push(value);
    }
    if (part.among !== undefined) return this.countAmong(table, index, values, part.among);
    const [lower, upper] = [boundOf(part.lower), boundOf(part.upper)];
    if (lower === 'unknown' || upper === 'unknown') return undefined;
    return this.statistics?.rowsWithin(table, index, { prefix: values, lower, upper });
  }

  private countAmong(
    table: Table,
    index: Index | undefined,
    prefix: readonly Scalar[],
    { values = [] }: Sarg,
  ): number | undefined {
    let sum = 0;
    let counted = 0;
    const step = Math.ceil(values.length / countedMax);
    for (let i = 0; i < values.length; i += step) {
      const value = values[i] as BoundExpression;
      if (value.kind !== 'literal' || value.claim !== undefined) return undefined;
      counted++;
      if (value.value === null) continue;
      const span = { prefix: [...prefix, value.value], lower: undefined, upper: undefined };
      const rows = this.statistics?.rowsWithin(table, index, span);
      if (rows === undefined) return undefined;
      sum += rows;
    }
    return (sum * values.length) / Math.max(1, counted);
  }
}

function factsOf({ synopsis, ageMs, changes }: Surveyed): SurveyFacts {
  const { coverage, observedRows, tableRows } = synopsis;
  return { coverage, observedRows, tableRows, ageMs, changes };
}

/** Returns the assumed share of one key value. In a large table, one value has `assumed.rowsOfValue` rows, whatever the size of the table. */
function shareOfValue(rows: number): number {
  return Math.min(assumed.equal, assumed.rowsOfValue / rows);
}

function literalOf({ op, value }: Sarg): Scalar | undefined {
  if (op === 'is_null') return null;
  if (value?.kind !== 'literal' || value.value === null) return undefined;
  return value.value;
}

function boundOf(sarg: Sarg | undefined): IntervalBound | undefined | 'unknown' {
  if (sarg === undefined) return undefined;
  const value = literalOf(sarg);
  if (value === undefined) return 'unknown';
  return { value, inclusive: sarg.op === 'gte' || sarg.op === 'lte' };
}
