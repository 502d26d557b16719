/** How many rows tables and parts of their keys have: as counted, or as assumed where nobody has. */

import type { Index, Table } from '#catalog';
import type { Bound } from '#layout';
import type { Statistics } from '#statistics';
import type { Scalar } from '#value';
import type { Sarg } from '../access/sarg.ts';
import { assumed } from './defaults.ts';

/** Where a number of rows comes from. */
type Origin = 'counted' | 'surveyed' | 'assumed' | 'proven';

export interface Rows {
  readonly rows: number;
  readonly origin: Origin;
}

/** A part of a key: its first columns are pinned, the next one is bounded. */
interface KeyPart {
  readonly prefix: readonly Sarg[];
  readonly among: Sarg | undefined;
  readonly lower: Sarg | undefined;
  readonly upper: Sarg | undefined;
}

/** A table that a plan was made for. */
export interface PlannedTable {
  readonly table: Table;
  /** As planned. */
  readonly rows: number;
  /** `Statistics.surveyOf` then. */
  readonly survey: number;
}

/**
 * A table counts as one of `assumed.tableRows` at least: below that every plan is fast, a table that grows needs no other plan at once, and a path by
 * key keeps writers apart, because it reads less.
 */
export class TableRows {
  private readonly statistics: Statistics | undefined;
  private readonly known = new Map<number, PlannedTable & Rows>();

  constructor(statistics: Statistics | undefined) {
    this.statistics = statistics;
  }

  /** The tables that somebody has asked about, where they are counted. */
  get planned(): readonly PlannedTable[] {
    return [...this.known.values()].filter(({ origin }) => origin === 'counted');
  }

  of(table: Table): Rows {
    const known = this.known.get(table.id);
    if (known !== undefined) return known;
    const counted = this.statistics?.rowsOf(table);
    const rows = Math.max(assumed.tableRows, Math.round(counted ?? 0));
    const survey = this.statistics?.surveyOf(table) ?? 0;
    const origin = counted === undefined ? 'assumed' : 'counted';
    const found = { table, rows, survey, origin } as const;
    this.known.set(table.id, found);
    return found;
  }

  within(table: Table, index: Index | undefined, part: KeyPart): Rows {
    const { rows: all } = this.of(table);
    const counted = all > assumed.tableRows ? this.count(table, index, part) : undefined;
    if (counted !== undefined) return { rows: Math.max(1, counted), origin: 'counted' };
    const { prefix, among, lower, upper } = part;
    const members = prefix.length + (among === undefined ? 0 : 1);
    const ofValue = this.ofValue(table, index, members);
    let rows = ofValue ?? all;
    if (ofValue === undefined) {
      for (const { op } of prefix) rows *= op === 'is_null' ? assumed.isNull : equalShare(all);
      if (among !== undefined) rows *= equalShare(all);
    }
    rows = Math.min(all, rows * (among?.values?.length ?? 1));
    if (lower !== undefined && upper !== undefined) rows *= assumed.keyInterval;
    else if (lower !== undefined || upper !== undefined) rows *= assumed.keyRange;
    const isSurveyed = ofValue !== undefined && lower === undefined && upper === undefined;
    return { rows: Math.max(1, rows), origin: isSurveyed ? 'surveyed' : 'assumed' };
  }

  /** About how many rows have the same values in the first columns of a key; undefined when nobody has looked. */
  ofValue(table: Table, index: Index | undefined, members: number): number | undefined {
    if (members === 0 || this.of(table).rows <= assumed.tableRows) return undefined;
    return this.statistics?.rowsOfValue(table, index, members);
  }

  /** Undefined where a value is not known before the plan runs. */
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
    let sum: number | undefined = 0;
    for (const value of values) {
      if (value.kind !== 'literal') return undefined;
      if (value.value === null) continue;
      const span = { prefix: [...prefix, value.value], lower: undefined, upper: undefined };
      const rows = this.statistics?.rowsWithin(table, index, span);
      if (rows === undefined) return undefined;
      sum += rows;
    }
    return sum;
  }
}

/** In a large table a value of a key has few rows, however many rows there are. */
function equalShare(rows: number): number {
  return Math.min(assumed.equal, assumed.rowsOfValue / rows);
}

function literalOf({ op, value }: Sarg): Scalar | undefined {
  if (op === 'is_null') return null;
  if (value?.kind !== 'literal' || value.value === null) return undefined;
  return value.value;
}

function boundOf(sarg: Sarg | undefined): Bound | undefined | 'unknown' {
  if (sarg === undefined) return undefined;
  const value = literalOf(sarg);
  if (value === undefined) return 'unknown';
  return { value, inclusive: sarg.op === 'gte' || sarg.op === 'lte' };
}
