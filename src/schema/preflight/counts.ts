/** Checks that count rows, each by its own look at them. */

import { type Column, columnOrdinal, type Table } from '#catalog';
import type { RowReader } from '#layout';
import { isConvertible, shownValue, strictConverterOf } from '#value';
import type { ColumnPair, TablePair } from '../diff/pairs.ts';
import type { FindingKind, SchemaFinding } from '../finding.ts';
import { countMax, keyOf, type RowCheck, rowsText } from './check.ts';

/** `sample` is of the first row that counts. */
type Describe = (rows: string, sample: string) => Omit<SchemaFinding, 'rows'> | undefined;

interface CounterOptions {
  readonly rowsMax?: number;
  /** How a row is shown. */
  readonly sampleOf?: (reader: RowReader) => string;
}

export class Counter implements RowCheck {
  rows = 0;
  private sample = '';
  private readonly counts: (reader: RowReader) => boolean;
  private readonly describe: Describe;
  private readonly sampleOf: (reader: RowReader) => string;
  private readonly rowsMax: number;

  constructor(
    counts: (reader: RowReader) => boolean,
    describe: Describe,
    { rowsMax = countMax, sampleOf = () => '' }: CounterOptions = {},
  ) {
    this.counts = counts;
    this.describe = describe;
    this.sampleOf = sampleOf;
    this.rowsMax = rowsMax;
  }

  see(reader: RowReader): void {
    if (this.rows >= this.rowsMax || !this.counts(reader)) return;
    if (this.rows === 0) this.sample = this.sampleOf(reader);
    this.rows++;
  }

  get isDone(): boolean {
    return this.rows >= this.rowsMax;
  }

  finding(): SchemaFinding | undefined {
    if (this.rows === 0) return undefined;
    const finding = this.describe(rowsText(this.rows), this.sample);
    return finding && { ...finding, rows: this.rows };
  }
}

/** Only counts, up to `rowsMax`. */
export function rowCount(rowsMax: number): Counter {
  return new Counter(
    () => true,
    () => undefined,
    { rowsMax },
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

/** Rows that read something else than NULL, be it the value that rows got when the column was added. */
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

/** Values other than NULL that have no image. */
export function conversions({ before, after }: TablePair, column: ColumnPair): Counter {
  const ordinal = columnOrdinal(before, column.before.id);
  const convert = strictConverterOf(column.before, column.after);
  return new Counter(
    (reader) => {
      const value = reader.cell(ordinal);
      return value !== null && convert(value) === undefined;
    },
    (rows, sample) => ({
      ...at('column_conversion', after, column.after),
      summary: `column ${after.name}.${column.after.name} cannot become ${typeText(column.after)}: ${rows} ${rows === '1 row' ? 'holds' : 'hold'} a value without an exact image, such as ${sample}${isConvertible(column.before, column.after) ? '' : `; ${typeText(column.before)} is never converted to it`}`,
    }),
    { sampleOf: (reader) => `${shownValue(reader.cell(ordinal))} (${keyOf(before, reader)})` },
  );
}

/** NULLs in a column that is to take none. */
export function nulls({ before, after }: TablePair, column: Column): Counter {
  const ordinal = columnOrdinal(before, column.id);
  return new Counter(
    (reader) => reader.cell(ordinal) === null,
    (rows, sample) => ({
      ...at('not_null_existing_nulls', after, column),
      summary: `column ${after.name}.${column.name} cannot become non-null: ${rows} ${rows === '1 row' ? 'holds' : 'hold'} NULL, such as ${sample}`,
    }),
    { sampleOf: (reader) => keyOf(before, reader) },
  );
}

function at(kind: FindingKind, table: Table, column: Column) {
  return { kind, table: table.name, column: column.name };
}

function typeText({ type, format }: Column): string {
  return format === undefined ? type : `${type} of format ${format}`;
}
