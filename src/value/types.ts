/** The types of values: the five scalar types, and the rows and arrays that crossings (correlated subqueries) produce (docs/lir.md §2). */

export const scalarTypes = ['text', 'int64', 'float64', 'bool', 'bytes'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** Identifier formats. A value of bytes with a format is rendered as identifier text. */
export const identifierFormats = ['uuid', 'ulid', 'xid'] as const;
export type IdentifierFormat = (typeof identifierFormats)[number];

/** The static type of a datum. */
export type DatumType =
  | { readonly kind: ScalarType }
  | { readonly kind: 'row'; readonly columns: readonly OutputColumn[] }
  | { readonly kind: 'array'; readonly columns: readonly OutputColumn[] };

/** One column of a relation's output row. */
export interface OutputColumn {
  readonly name: string;
  readonly type: DatumType;
  readonly nullable: boolean;
}

export function isScalarType(type: DatumType): type is { readonly kind: ScalarType } {
  return type.kind !== 'row' && type.kind !== 'array';
}
