/** The frame of a catalog record: a format version, a checksum, and JSON. */

import { ByteWriter, crc32, decodeForeignUtf8, encodeUtf8 } from '#base';
import { fail } from '#failure';

const firstFormat = 1;
const headerBytes = 5;

/** `format` is the version of the content: each record has its own versions, from 1. */
export function encodeFrame(content: unknown, format?: number): Uint8Array {
  return frameOf(JSON.stringify(content), format);
}

/** Frames a content that is already JSON text. */
export function frameOf(text: string, format: number = firstFormat): Uint8Array {
  const json = encodeUtf8(text);
  const writer = new ByteWriter(headerBytes + json.length);
  writer.u8(format);
  writer.u32(crc32(json));
  writer.append(json);
  return writer.take();
}

/**
 * Decodes a frame and converts its content with `read`. Throws `catalog_corrupt` for any error. `what` names the record in the message. `newest` is the newest
 * supported format of the record.
 */
export function decodeFrame<T>(
  bytes: Uint8Array,
  what: string,
  read: (content: unknown, format: number) => T,
  newest: number = firstFormat,
): T {
  const trouble = troubleWith(bytes, newest);
  if (trouble !== undefined) throw corrupt(what, trouble);
  try {
    const content = JSON.parse(decodeForeignUtf8(bytes.subarray(headerBytes)) ?? '');
    return read(content, bytes[0] as number);
  } catch (cause) {
    throw fail('catalog_corrupt', `${what} cannot be read: its content does not match its format`, {
      cause,
    });
  }
}

export function corrupt(what: string, trouble: string): Error {
  return fail('catalog_corrupt', `${what} cannot be read: ${trouble}`);
}

function troubleWith(bytes: Uint8Array, newest: number): string | undefined {
  if (bytes.length <= headerBytes) return 'it is too short';
  const [format = 0] = bytes;
  if (format < firstFormat || format > newest) {
    const known = newest === firstFormat ? `format ${newest}` : `formats up to ${newest}`;
    return `its format is ${format}, this version supports ${known}`;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWhole = view.getUint32(1, true) === crc32(bytes.subarray(headerBytes));
  return isWhole ? undefined : 'its checksum is wrong';
}
