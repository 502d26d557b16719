/** Row identity (docs/lir.md §2), compared member by member: what identity keys have to agree with. */

import type { ByteString, Datum, DatumType, OutputColumn, Row } from '#value';

export function isSameDatum(type: DatumType, left: Datum, right: Datum): boolean {
  if (left === null || right === null) return left === right;
  switch (type.kind) {
    case 'bytes':
      return (left as ByteString).bytes.toHex() === (right as ByteString).bytes.toHex();
    case 'row':
      return isSameRow(type.columns, left as Row, right as Row);
    case 'array':
      return isSameArray(type.columns, left as readonly Row[], right as readonly Row[]);
    default:
      return left === right;
  }
}

function isSameRow(columns: readonly OutputColumn[], left: Row, right: Row): boolean {
  return columns.every((column, i) =>
    isSameDatum(column.type, left[i] as Datum, right[i] as Datum),
  );
}

function isSameArray(
  columns: readonly OutputColumn[],
  left: readonly Row[],
  right: readonly Row[],
): boolean {
  return (
    left.length === right.length && left.every((row, i) => isSameRow(columns, row, right[i] as Row))
  );
}
