/** Memory sizes of values. Rows and arrays are shared by all their readers, so the size of a large one is computed once. */

import { ByteString, type Datum, type Row } from '#value';
import { arrayBytes, bigIntBytes, byteListBytes, objectBytes, textBytes } from './memory-costs.ts';

/** Rows and arrays of fewer bytes are not cached: computing their size again costs less than caching it. */
const knownBytesMin = 1024;
const known = new WeakMap<object, number>();

/** Returns the bytes of memory of a datum, without the slot that refers to it. */
export function datumBytes(datum: Datum): number {
  if (typeof datum === 'string') return textBytes(datum);
  if (typeof datum === 'bigint') return bigIntBytes;
  if (datum === null || typeof datum !== 'object') return 0;
  if (datum instanceof ByteString) return objectBytes + byteListBytes(datum.bytes.length);
  return known.get(datum) ?? measure(datum);
}

/** Returns the bytes of memory of a row, without the slot that refers to it. */
export function rowBytes(row: Row): number {
  let bytes = arrayBytes(row.length);
  for (let c = 0; c < row.length; c++) bytes += datumBytes(row[c] as Datum);
  return bytes;
}

/** Caches a size that the creator of the row or array already knows. */
export function rememberBytes(datum: Datum & object, bytes: number): void {
  if (bytes >= knownBytesMin) known.set(datum, bytes);
}

function measure(datum: Row | readonly Row[]): number {
  const bytes = rowBytes(datum as Row);
  rememberBytes(datum as Datum & object, bytes);
  return bytes;
}
