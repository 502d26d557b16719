/** Checks that count rows by a condition. */

import { type Column, columnOrdinal, type Table } from '#catalog';
import type { RowReader } from '#layout';
import { isConvertible, strictConverterOf } from '#value';
import type { ColumnPair, TablePair } from '../diff/pairs.ts';
import type { DiffFinding, FindingKind } from '../finding.ts';
import { countMax, foundText, type RowCheck } from './check.ts';

type Describe = (rows: string) => Omit<DiffFinding, 'rows'> | undefined;

export class Counter implements RowCheck {
  rows = 0;
  settle?: NonNullable<RowCheck['settle']>;
  private readonly counts: (reader: RowReader) => boolean;
  private readonly describe: Describe;
  private readonly rowsMax: number;

  constructor(
    counts: (reader: RowReader) => boolean,
    describe: Describe,
    rowsMax: number = countMax,
  ) {
    this.counts = counts;
    this.describe = describe;
    this.rowsMax = rowsMax;
  }

  see(reader: RowReader): void {
    if (this.rows < this.rowsMax && this.counts(reader)) this.rows++;
  }

  get isDone(): boolean {
    return this.rows >= this.rowsMax;
  }

  finding(): DiffFinding | undefined {
    if (this.rows === 0) return undefined;
    const finding = this.describe(foundText(this.rows));
    return finding && { ...finding, rows: this.rows };
  }
}

/** Returns a check that only counts rows, up to `rowsMax`, and has no finding. */
export function rowCount(rowsMax: number): Counter {
  return new Counter(
    () => true,
    () => undefined,
    rowsMax,
  );
}

export function tableLoss({ name }: Table): Counter {
  return new Counter(
    () => true,
    (rows) => ({
      kind: 'delete_table',
      summary: `table ${name} will be deleted (${rows})`,
      table: name,
    }),
  );
}

/** Counts rows with a value other than NULL in a deleted column, including values that rows received when the column was added. */
export function columnLoss({ before, after }: TablePair, column: Column): Counter {
  const ordinal = columnOrdinal(before, column.id);
  return new Counter(
    (reader) => reader.cell(ordinal) !== null,
    (rows) => ({
      ...at('delete_column', after, column),
      summary: `column ${after.name}.${column.name} will be deleted (${rows} ${rows === '1 row' ? 'contains' : 'contain'} a value)`,
    }),
  );
}

/** Counts values other than NULL that cannot be converted exactly. */
export function conversions({ before, after }: TablePair, column: ColumnPair): Counter {
  const ordinal = columnOrdinal(before, column.before.id);
  const convert = strictConverterOf(column.before, column.after);
  return new Counter(
    (reader) => {
      const value = reader.cell(ordinal);
      return value !== null && convert(value) === undefined;
    },
    (rows) => ({
      ...at('column_conversion', after, column.after),
      summary: `column ${after.name}.${column.after.name} cannot become ${typeText(column.after)}: ${rows} ${rows === '1 row' ? 'contains' : 'contain'} a value without an exact image${isConvertible(column.before, column.after) ? '' : `; ${typeText(column.before)} is never converted to it`}`,
    }),
  );
}

/** Counts NULLs in a column that becomes non-null. */
export function nulls({ before, after }: TablePair, column: Column): Counter {
  const ordinal = columnOrdinal(before, column.id);
  return new Counter(
    (reader) => reader.cell(ordinal) === null,
    (rows) => ({
      ...at('not_null_existing_nulls', after, column),
      summary: `column ${after.name}.${column.name} cannot become non-null: ${rows} ${rows === '1 row' ? 'contains' : 'contain'} NULL`,
    }),
  );
}

function at(kind: FindingKind, table: Table, column: Column) {
  return { kind, table: table.name, column: column.name };
}

function typeText({ type, format }: Column): string {
  return format === undefined ? type : `${type} of format ${format}`;
}
