/**
 * Row identity (docs/lir.md §2): NULL equals NULL, -0 equals +0, text and bytes are compared by their bytes, rows and arrays member by member.
 */

import type { ByteString, Datum, Row } from './datum.ts';
import type { DatumType, OutputColumn } from './types.ts';

/** A key for Map and Set. Two data of the same type are identical if and only if their keys are the same value. */
export type IdentityKey = null | string | number | bigint | boolean;

/** Returns a function from a datum of `type` to its identity key. */
export function datumKeyOf(type: DatumType): (datum: Datum) => IdentityKey {
  switch (type.kind) {
    case 'text':
    case 'int64':
    case 'float64': // Map and === both take -0 for +0.
    case 'bool':
      return (datum) => datum as IdentityKey;
    case 'bytes':
      return (datum) => (datum === null ? null : (datum as ByteString).bytes.toHex());
    default: {
      const part = identityPartOf(type);
      return (datum) => (datum === null ? null : part(datum));
    }
  }
}

/**
 * Returns a function from a datum to a part of an identity key. Parts are self-delimiting, so the concatenated parts of a tuple are a key
 * of it.
 */
export function identityPartOf(type: DatumType): (datum: Datum) => string {
  switch (type.kind) {
    case 'text':
      return (datum) => (datum === null ? 'n' : `${(datum as string).length}:${datum as string}`);
    case 'int64':
    case 'float64': // The template writes -0 as 0.
      return (datum) => (datum === null ? 'n' : `${datum as number | bigint},`);
    case 'bool':
      return (datum) => (datum === null ? 'n' : datum === true ? 't' : 'f');
    case 'bytes':
      return (datum) => {
        if (datum === null) return 'n';
        const { bytes } = datum as ByteString;
        return `${bytes.toHex()},`;
      };
    case 'row':
      return rowPartOf(type.columns);
    case 'array':
      return arrayPartOf(type.columns);
  }
}

function rowPartOf(columns: readonly OutputColumn[]): (datum: Datum) => string {
  const parts = columns.map((column) => identityPartOf(column.type));
  return (datum) => {
    if (datum === null) return 'n';
    let key = '(';
    for (let i = 0; i < parts.length; i++) {
      key += (parts[i] as (datum: Datum) => string)((datum as Row)[i] as Datum);
    }
    return key;
  };
}

function arrayPartOf(columns: readonly OutputColumn[]): (datum: Datum) => string {
  const rowPart = rowPartOf(columns);
  return (datum) => {
    if (datum === null) return 'n';
    const rows = datum as readonly Datum[];
    let key = `${rows.length}[`;
    for (let i = 0; i < rows.length; i++) key += rowPart(rows[i] as Datum);
    return key;
  };
}
