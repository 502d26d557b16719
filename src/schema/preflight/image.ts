/** Values of desired columns, computed from the rows that are stored now. */

import { type Column, columnById, columnOrdinal } from '#catalog';
import type { RowReader } from '#layout';
import { type Scalar, strictConverterOf } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';

/** Returns the converted value of a row, `undefined` if the stored value cannot be converted. */
export type ColumnImage = (reader: RowReader) => Scalar | undefined;

/** Returns the conversion for the column `id` of the desired table. */
export function imageOf({ before, after }: TablePair, id: number): ColumnImage {
  const wanted = columnById(after, id) as Column;
  const stored = columnById(before, id);
  if (stored === undefined) {
    const given = wanted.default?.kind === 'literal' ? wanted.default.value : null;
    return () => given;
  }
  const ordinal = columnOrdinal(before, id);
  if (fateOf({ before: stored, after: wanted }) !== 'rewritten')
    return (reader) => reader.cell(ordinal);
  const convert = strictConverterOf(stored, wanted);
  return (reader) => convert(reader.cell(ordinal));
}
