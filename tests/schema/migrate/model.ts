/** What a migration finds and makes of rows, worked out naively from the definitions on both sides. */

import { type Catalog, type Column, columnById, type Table, tableById } from '#catalog';
import { ByteString, type Scalar, strictConverterOf } from '#value';

export type Rows = ReadonlyMap<number, readonly (readonly Scalar[])[]>;

export interface ExpectedFinding {
  readonly kind: string;
  readonly table: string;
  readonly column?: string;
  readonly rows: number;
}

/** Findings of rows, by table id and in any order. */
export function expectedFindings(current: Catalog, desired: Catalog, rows: Rows) {
  const destructive: ExpectedFinding[] = [];
  const blocking: ExpectedFinding[] = [];
  for (const before of current.tables) {
    const after = tableById(desired, before.id);
    const stored = rows.get(before.id) ?? [];
    if (after === undefined) {
      add(destructive, { kind: 'delete_table', table: before.name, rows: stored.length });
      continue;
    }
    const table = after.name;
    before.columns.forEach((column, i) => {
      const target = columnById(after, column.id);
      const values = stored.map((row) => row[i] as Scalar);
      const place = { table, column: target?.name ?? column.name };
      if (target === undefined) {
        add(destructive, {
          kind: 'delete_column',
          ...place,
          rows: count(values, (v) => v !== null),
        });
        return;
      }
      const convert = strictConverterOf(column, { ...target, nullable: true });
      const failing = count(values, (v) => v !== null && convert(v) === undefined);
      if (isRewritten(column, target))
        add(blocking, { kind: 'column_conversion', ...place, rows: failing });
      if (column.nullable && !target.nullable) {
        const nulls = count(values, (v) => v === null);
        add(blocking, { kind: 'not_null_existing_nulls', ...place, rows: nulls });
      }
    });
    blocking.push(...duplicates(before, after, stored));
    blocking.push(...orphans(current, desired, before, after, rows));
  }
  return { destructive, blocking };
}

function isRewritten(before: Column, after: Column): boolean {
  const isSame = before.type === after.type && before.identifierFormat === after.identifierFormat;
  return !isSame || (before.nullable && !after.nullable && before.format !== after.format);
}

/** The row as the desired table will hold it; undefined members have no image. */
export function imageOf(before: Table, after: Table, row: readonly Scalar[]) {
  return after.columns.map((column): Scalar | undefined => {
    const i = before.columns.findIndex(({ id }) => id === column.id);
    const former = before.columns[i];
    if (former === undefined)
      return column.default?.kind === 'literal' ? column.default.value : null;
    return strictConverterOf(former, column)(row[i] as Scalar);
  });
}

function duplicates(
  before: Table,
  after: Table,
  stored: readonly (readonly Scalar[])[],
): readonly ExpectedFinding[] {
  return after.indexes.flatMap((index) => {
    if (!index.unique) return [];
    const seen = new Set<string>();
    let rows = 0;
    for (const row of stored) {
      const image = imageOf(before, after, row);
      const key = index.columns.map((id) => image[after.columns.findIndex((c) => c.id === id)]);
      if (key.some((value) => value === null || value === undefined)) continue;
      const text = textOf(key);
      if (seen.has(text)) rows++;
      seen.add(text);
    }
    return rows === 0 ? [] : [{ kind: 'unique_index_duplicates', table: after.name, rows }];
  });
}

function orphans(
  current: Catalog,
  desired: Catalog,
  before: Table,
  after: Table,
  rows: Rows,
): readonly ExpectedFinding[] {
  return after.foreignKeys.flatMap((key) => {
    const parent = tableById(current, key.refTable);
    const target = tableById(desired, key.refTable) as Table;
    const keyOf = (table: Table, ids: readonly number[], row: readonly (Scalar | undefined)[]) =>
      ids.map((id) => row[table.columns.findIndex((column) => column.id === id)]);
    const parents = new Set(
      parent &&
        (rows.get(parent.id) ?? []).map((row) => textOf(keyOf(parent, target.primaryKey, row))),
    );
    let missing = 0;
    for (const row of rows.get(before.id) ?? []) {
      const values = keyOf(after, key.columns, imageOf(before, after, row));
      if (values.some((value) => value === null || value === undefined)) continue;
      if (!parents.has(textOf(values))) missing++;
    }
    return missing === 0
      ? []
      : [{ kind: 'foreign_key_missing_parent', table: after.name, rows: missing }];
  });
}

function add(findings: ExpectedFinding[], finding: ExpectedFinding): void {
  if (finding.rows > 0) findings.push(finding);
}

function count(values: readonly Scalar[], counts: (value: Scalar) => boolean): number {
  return values.filter(counts).length;
}

/** A text for each row; equal for equal values, -0 and 0 alike. */
export function textOf(values: readonly (Scalar | undefined)[]): string {
  return JSON.stringify(
    values.map((value) => {
      if (value instanceof ByteString) return `x${value.bytes.toHex()}`;
      return value === null
        ? null
        : `${typeof value === 'bigint' ? 'number' : typeof value} ${value}`;
    }),
  );
}
