/**
 * Encodes many rows at a time: converts them to objects and calls JSON.stringify once.
 *
 * JSON.stringify writes the float 3 as `3` and rejects bigints. Both kinds of numbers are passed as *marks*, `["3.0"]`, which are removed
 * from the text afterwards. No other text can look like a mark: quotes inside strings are escaped, arrays contain only objects, and a
 * string that ends in `[` is not followed by a digit.
 */

import type { ByteString, Datum, Row } from '../datum.ts';
import { formatBytes } from '../identifier/format.ts';
import type { DatumType, OutputColumn } from '../types.ts';
import { generated } from './generated.ts';
import { formatFloat64 } from './number-text.ts';

/** Encodes `rows[from, to)`, separated by commas. */
export type RowsEncoder = (rows: readonly Row[], from: number, to: number) => string;

type Shaper = (datum: Datum) => unknown;

const integerName = /^[0-9]+$/;
const mark = /\["([-0-9.e]+)"\]/g;
/** True if a row of the current call contains a mark. Otherwise the text need not be searched. */
let hasMarks = false;

/** Returns an encoder; `undefined` if an object cannot preserve the order of the columns. */
export function bulkEncoderOf(columns: readonly OutputColumn[]): RowsEncoder | undefined {
  if (!canShape(columns)) return undefined;
  const shape = rowShaperOf(columns);
  return (rows, from, to) => {
    const shaped: unknown[] = [];
    hasMarks = false;
    for (let i = from; i < to; i++) shaped.push(shape(rows[i] as Row));
    const text = JSON.stringify(shaped).slice(1, -1);
    return hasMarks ? text.replace(mark, '$1') : text;
  };
}

/** Returns whether objects preserve the order of the columns. Members with integer names always come first. */
function canShape(columns: readonly OutputColumn[]): boolean {
  return columns.every(({ name, type }) => {
    const isNested = type.kind === 'row' || type.kind === 'array';
    return !integerName.test(name) && (!isNested || canShape(type.columns));
  });
}

/** Generates an object literal, which is an order of magnitude faster than assigning each member. */
function rowShaperOf(columns: readonly OutputColumn[]): Shaper {
  const shapers = columns.map((column) => shaperOf(column.type));
  const members = columns.map(({ name }, i) => {
    const cell = `row[${i}]`;
    // A computed name is necessary because a literal `__proto__` would set the prototype.
    return `[${JSON.stringify(name)}]: ${shapers[i] === undefined ? cell : `shapers[${i}](${cell})`}`;
  });
  const build = generated('shapers', `return (row) => ({ ${members.join(', ')} });`);
  return build(shapers) as Shaper;
}

/** Returns a converter; `undefined` if JSON.stringify encodes the type correctly. */
function shaperOf(type: DatumType): Shaper | undefined {
  switch (type.kind) {
    case 'text':
    case 'bool':
      return undefined;
    case 'int64':
      return shapeInt64;
    case 'float64':
      return shapeFloat64;
    case 'bytes':
      return (datum) => datum && formatBytes(datum as ByteString);
    case 'row': {
      const shape = rowShaperOf(type.columns);
      return (datum) => datum && shape(datum);
    }
    case 'array': {
      const shape = rowShaperOf(type.columns);
      return (datum) => datum && (datum as readonly Row[]).map(shape);
    }
  }
}

function shapeInt64(datum: Datum): unknown {
  return typeof datum === 'bigint' ? marked(String(datum)) : datum;
}

/** Marks a float64 that `JSON.stringify` would write in another form: integral values as integers, and 1e-6 as 0.000001. */
function shapeFloat64(datum: Datum): unknown {
  if (typeof datum !== 'number') return datum;
  const isOtherwise = Number.isInteger(datum) || Math.abs(datum) < 1e-5;
  return isOtherwise ? marked(formatFloat64(datum)) : datum;
}

/** Returns the text of a number as a mark, which `bulkEncoderOf` removes. */
function marked(text: string): readonly [string] {
  hasMarks = true;
  return [text];
}
