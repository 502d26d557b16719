/** What questions come to, over plain rows and maps: nothing of the engine, and nothing quadratic. */

import type { Scalar } from '#value';
import type { ColumnName, LargeRow } from './data.ts';

/** What identity tells apart: both zeros are one, NULL is one. Of values of one type. */
export function identityOf(value: Scalar): string {
  if (value === null) return '-';
  return typeof value === 'number' ? `+${value + 0}` : `+${value}`;
}

export function keyOf(row: LargeRow, columns: readonly ColumnName[]): string {
  return columns.map((name) => identityOf(row[name])).join('\u0001|');
}

export function groupsOf(
  rows: readonly LargeRow[],
  columns: readonly ColumnName[],
): Map<string, LargeRow[]> {
  const groups = new Map<string, LargeRow[]>();
  for (const row of rows) {
    const key = keyOf(row, columns);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** Rows that a join can match: NULL equals nothing. */
export function joinable(rows: readonly LargeRow[], columns: readonly ColumnName[]): LargeRow[] {
  return rows.filter((row) => columns.every((name) => row[name] !== null));
}

/** NULL first, texts by their bytes. */
export function compare(a: Scalar, b: Scalar): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return a < b ? -1 : Number(a > b);
}

const surrogates = /[\ud800-\udfff]/;

function compareTexts(a: string, b: string): number {
  if (surrogates.test(a) || surrogates.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}

export interface Term {
  readonly column: ColumnName;
  readonly desc: boolean;
}

export function sorted(rows: readonly LargeRow[], terms: readonly Term[]): LargeRow[] {
  return [...rows].sort((a, b) => {
    for (const { column, desc } of terms) {
      const order = compare(a[column], b[column]);
      if (order !== 0) return desc ? -order : order;
    }
    return 0;
  });
}

export function sum(rows: readonly LargeRow[], column: ColumnName): Scalar {
  let total: bigint | undefined;
  for (const { [column]: value } of rows) {
    if (value !== null) total = (total ?? 0n) + BigInt(value as number | bigint);
  }
  return total ?? null;
}

export function count(rows: readonly LargeRow[], column: ColumnName): Scalar {
  return rows.reduce((n, row) => n + Number(row[column] !== null), 0);
}

/** The least, or with a sign of -1 the greatest. */
export function extreme(rows: readonly LargeRow[], column: ColumnName, sign: number): Scalar {
  let found: Scalar = null;
  for (const { [column]: value } of rows) {
    if (value === null) continue;
    if (found === null || sign * compare(value, found) < 0) found = value;
  }
  return found;
}
