/** The memory behind values. Rows and arrays are shared by all who read them, so the size of a large one is computed once. */

import { ByteString, type Datum, type Row } from '#value';
import { arrayBytes, bigIntBytes, byteListBytes, objectBytes, textBytes } from './prices.ts';

/** Walking what is smaller costs less than remembering it. */
const knownBytesMin = 1024;
const known = new WeakMap<object, number>();

/** The memory behind a datum, its slot not counted. */
export function datumBytes(datum: Datum): number {
  if (typeof datum === 'string') return textBytes(datum);
  if (typeof datum === 'bigint') return bigIntBytes;
  if (datum === null || typeof datum !== 'object') return 0;
  if (datum instanceof ByteString) return objectBytes + byteListBytes(datum.bytes.length);
  return known.get(datum) ?? measure(datum);
}

/** The memory of a row, the slot that leads to it not counted. */
export function rowBytes(row: Row): number {
  let bytes = arrayBytes(row.length);
  for (let c = 0; c < row.length; c++) bytes += datumBytes(row[c] as Datum);
  return bytes;
}

/** The maker of an array knows its size already. */
export function rememberBytes(datum: Datum & object, bytes: number): void {
  if (bytes >= knownBytesMin) known.set(datum, bytes);
}

function measure(datum: Row | readonly Row[]): number {
  const bytes = rowBytes(datum as Row);
  rememberBytes(datum as Datum & object, bytes);
  return bytes;
}
