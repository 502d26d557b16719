/** Encodes results as JSON text (docs/lir.md §12) with one encoder per column, chosen by its type, since data do not contain their types. */

import type { ByteString, Datum, Row } from '../datum.ts';
import { formatBytes } from '../identifier/format.ts';
import type { DatumType, OutputColumn } from '../types.ts';
import { formatFloat64 } from './number-text.ts';
import { bulkEncoderOf, type RowsEncoder } from './shape.ts';
import { encodeText } from './text.ts';

/** How the root of a query shapes its rows. */
export type ResultShape = 'many' | 'first' | 'exactly_one' | 'scalar';

export type DatumEncoder = (datum: Datum) => string;

/** Returns the JSON text of a result. All shapes except `many` show the first row, or null; the executor checks the number of rows. */
export function encodeResult(
  columns: readonly OutputColumn[],
  rows: readonly Row[],
  shape: ResultShape,
): string {
  if (shape === 'many') return `[${knownRowsEncoder(columns, rows.length)(rows, 0, rows.length)}]`;
  const [first] = rows;
  const [only] = columns;
  if (first === undefined || only === undefined) return 'null';
  return shape === 'scalar'
    ? datumEncoderOf(only.type)(first[0] as Datum)
    : knownRowEncoder(columns)(first);
}

/** Minimum number of rows for which generating an encoder pays off. */
const bulkRowsMin = 64;

/** Returns the fastest encoder for this number of rows. */
export function knownRowsEncoder(columns: readonly OutputColumn[], count: number): RowsEncoder {
  const bulk = count >= bulkRowsMin ? knownBulkEncoder(columns) : undefined;
  return bulk ?? rowsEncoderOf(knownRowEncoder(columns));
}

/** Returns an encoder of one row as an object with members in column order. */
export function rowEncoderOf(columns: readonly OutputColumn[]): (row: Row) => string {
  const encoders = columns.map((column) => datumEncoderOf(column.type));
  const names = columns.map((column, i) => `${i === 0 ? '{' : ','}${JSON.stringify(column.name)}:`);
  if (columns.length === 0) return () => '{}';
  return (row) => {
    let text = '';
    for (let i = 0; i < encoders.length; i++) {
      text += (names[i] as string) + (encoders[i] as DatumEncoder)(row[i] as Datum);
    }
    return `${text}}`;
  };
}

/** Returns an encoder of a datum of `type`. NULL is encoded as null. */
export function datumEncoderOf(type: DatumType): DatumEncoder {
  switch (type.kind) {
    case 'text':
      return (datum) => (datum === null ? 'null' : encodeText(datum as string));
    case 'int64':
    case 'bool':
      return String;
    case 'float64':
      return (datum) => (datum === null ? 'null' : formatFloat64(datum as number));
    case 'bytes':
      return (datum) => (datum === null ? 'null' : `"${formatBytes(datum as ByteString)}"`);
    case 'row': {
      const encode = rowEncoderOf(type.columns);
      return (datum) => (datum === null ? 'null' : encode(datum as Row));
    }
    case 'array': {
      const encode = rowsEncoderOf(rowEncoderOf(type.columns));
      // A left join produces NULL for the arrays of its right side.
      return (datum) =>
        datum === null
          ? 'null'
          : `[${encode(datum as readonly Row[], 0, (datum as readonly Row[]).length)}]`;
    }
  }
}

function rowsEncoderOf(encode: (row: Row) => string): RowsEncoder {
  return (rows, from, to) => {
    let text = '';
    for (let i = from; i < to; i++) {
      text += i === from ? encode(rows[i] as Row) : `,${encode(rows[i] as Row)}`;
    }
    return text;
  };
}

// A cached plan has the same columns array on each run.
const knownRowEncoder = remembered(rowEncoderOf);
const knownBulkEncoder = remembered(bulkEncoderOf);

/** Caches the result of `build` by the identity of the columns array. */
export function remembered<T>(
  build: (columns: readonly OutputColumn[]) => T,
): (columns: readonly OutputColumn[]) => T {
  const known = new WeakMap<readonly OutputColumn[], { readonly encoder: T }>();
  return (columns) => {
    let entry = known.get(columns);
    if (entry === undefined) {
      entry = { encoder: build(columns) };
      known.set(columns, entry);
    }
    return entry.encoder;
  };
}
