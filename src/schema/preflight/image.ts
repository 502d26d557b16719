/** What a column of the desired table will hold for a row as it is stored now. */

import { type Column, columnById, columnOrdinal } from '#catalog';
import type { RowReader } from '#layout';
import { type Scalar, strictConverterOf } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';

/** Undefined where the stored value has no image. */
export type ColumnImage = (reader: RowReader) => Scalar | undefined;

/** `id` is a column of the desired table. */
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
