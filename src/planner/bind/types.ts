/** Static types, and their equality. */

import { type DatumType, isScalarType, type ScalarType } from '#value';
import type { BoundExpression } from './bound.ts';

export const bool: DatumType = { kind: 'bool' };
export const int64: DatumType = { kind: 'int64' };
export const float64: DatumType = { kind: 'float64' };

const scalars: Readonly<Record<ScalarType, DatumType>> = {
  text: { kind: 'text' },
  int64,
  float64,
  bool,
  bytes: { kind: 'bytes' },
};

export function scalarType(type: ScalarType): DatumType {
  return scalars[type];
}

/** Returns the scalar type of an expression; `undefined` for rows and arrays. */
export function scalarOf({ type }: BoundExpression): ScalarType | undefined {
  return isScalarType(type) ? type.kind : undefined;
}

export function isNumeric(type: ScalarType | undefined): type is 'int64' | 'float64' {
  return type === 'int64' || type === 'float64';
}

/** Returns whether two types are equal. Rows and arrays are equal if their columns have the same names and types in the same order. */
export function sameType(left: DatumType, right: DatumType): boolean {
  if (left.kind !== right.kind) return false;
  if (isScalarType(left) || isScalarType(right)) return true;
  return (
    left.columns.length === right.columns.length &&
    left.columns.every((column, i) => {
      const other = right.columns[i];
      return other !== undefined && column.name === other.name && sameType(column.type, other.type);
    })
  );
}
