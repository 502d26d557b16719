/** Encodes a part as a file, and reads ranges of it with verified checksums. */

import { crc32 } from '#base';
import type { IoFile } from '../object/directory-io.ts';

/** Each chunk has its own checksum, so that a small read does not have to verify the whole part. */
const chunkBytes = 16 * 1024;
const magic = 0x70637673;
const format = 1;
const headBytes = 32;

export interface Part {
  /** Name of the object that contains the part. */
  readonly object: string;
  readonly number: number;
}

export interface PartHead {
  /** Size of the whole object. */
  readonly objectBytes: number;
  readonly partBytes: number;
  readonly checksums: Uint32Array;
}

/** Returns the seed of the checksums. The seed makes a part of another object, or another part of this one, fail its checksums. */
function seedOf({ object, number }: Part): number {
  return crc32(Buffer.from(`${object}#${number}`));
}

const headLength = (bytes: number): number => headBytes + 4 * Math.ceil(bytes / chunkBytes);

/** Returns the size of the file of a part. */
function fileBytesOf(partBytes: number): number {
  return headLength(partBytes) + partBytes;
}

export function encodePart(part: Part, objectBytes: number, bytes: Uint8Array): Uint8Array {
  const seed = seedOf(part);
  const dataAt = headLength(bytes.length);
  const file = new Uint8Array(dataAt + bytes.length);
  const view = new DataView(file.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, format, true);
  view.setFloat64(8, objectBytes, true);
  view.setUint32(16, bytes.length, true);
  file.set(bytes, dataAt);
  for (let at = 0, chunk = 0; at < bytes.length; at += chunkBytes, chunk++) {
    const checksum = crc32(bytes.subarray(at, at + chunkBytes), seed + chunk);
    view.setUint32(headBytes + 4 * chunk, checksum, true);
  }
  view.setUint32(28, headChecksum(file.subarray(0, dataAt), seed), true);
  return file;
}

/** Reads the head of a part; returns `undefined` if the file is not a whole part. */
export function readHead(file: IoFile, part: Part): PartHead | undefined {
  const head = new Uint8Array(headBytes);
  if (file.read(head, 0) < headBytes) return undefined;
  const view = new DataView(head.buffer);
  if (view.getUint32(0, true) !== magic || view.getUint32(4, true) !== format) return undefined;
  const partBytes = view.getUint32(16, true);
  if (file.bytes !== fileBytesOf(partBytes)) return undefined;
  const whole = new Uint8Array(headLength(partBytes));
  if (file.read(whole, 0) < whole.length) return undefined;
  if (headChecksum(whole, seedOf(part)) !== view.getUint32(28, true)) return undefined;
  const checksums = new Uint32Array(whole.buffer, headBytes);
  return { objectBytes: view.getFloat64(8, true), partBytes, checksums };
}

/** Fills `target` with the bytes of the part from `from` on. Returns false if the bytes are not those that were written. */
export function readPart(
  file: IoFile,
  part: Part,
  head: PartHead,
  { from, target }: { readonly from: number; readonly target: Uint8Array },
): boolean {
  const first = Math.floor(from / chunkBytes);
  const start = first * chunkBytes;
  const end = Math.min(head.partBytes, Math.ceil((from + target.length) / chunkBytes) * chunkBytes);
  const bytes = new Uint8Array(Math.max(0, end - start));
  if (from + target.length > head.partBytes) return false;
  if (file.read(bytes, headLength(head.partBytes) + start) < bytes.length) return false;
  const seed = seedOf(part);
  for (let at = 0, chunk = first; at < bytes.length; at += chunkBytes, chunk++) {
    const checksum = crc32(bytes.subarray(at, at + chunkBytes), seed + chunk);
    if (checksum !== head.checksums[chunk]) return false;
  }
  target.set(bytes.subarray(from - start, from - start + target.length));
  return true;
}

/** Returns the checksum of the head, computed with its own checksum set to zero. */
function headChecksum(head: Uint8Array, seed: number): number {
  const copy = head.slice();
  copy.fill(0, 28, 32);
  return crc32(copy, seed);
}
