/** The format of every statistics record: a format byte, a time, and JSON (docs/storage-format.md, Statistics records). */

const format = 1;
const timeFrom = 1;
const textFrom = 9;

/** Encodes a record. `atUnixMs` is the time at which its content was collected. */
export function recordOf(atUnixMs: number, json: string): Uint8Array {
  const text = new TextEncoder().encode(json);
  const value = new Uint8Array(textFrom + text.length);
  value[0] = format;
  new DataView(value.buffer).setBigUint64(timeFrom, BigInt(atUnixMs));
  value.set(text, textFrom);
  return value;
}

/** Returns the time in Unix milliseconds without decoding the rest; `undefined` for another format. */
export function timeOf(value: Uint8Array): number | undefined {
  if (value[0] !== format || value.length < textFrom) return undefined;
  return Number(new DataView(value.buffer, value.byteOffset, value.length).getBigUint64(timeFrom));
}

/** Throws if the content is not JSON in UTF-8. */
export function jsonOf(value: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(value.subarray(textFrom));
  return JSON.parse(text);
}
