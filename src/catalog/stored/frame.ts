/** The frame of a catalog record: a format version, a checksum, and JSON. */

import { ByteWriter, crc32, decodeForeignUtf8, encodeUtf8 } from '#base';
import { fail } from '#failure';

const format = 1;
const headerBytes = 5;

export function encodeFrame(content: unknown): Uint8Array {
  return frameOf(JSON.stringify(content));
}

/** Frames a content that is already JSON text. */
export function frameOf(text: string): Uint8Array {
  const json = encodeUtf8(text);
  const writer = new ByteWriter(headerBytes + json.length);
  writer.u8(format);
  writer.u32(crc32(json));
  writer.append(json);
  return writer.take();
}

/** Decodes a frame and converts its content with `read`. Throws `catalog_corrupt` for any error. `what` names the record in the message. */
export function decodeFrame<T>(bytes: Uint8Array, what: string, read: (content: unknown) => T): T {
  const trouble = troubleWith(bytes);
  if (trouble !== undefined) throw corrupt(what, trouble);
  try {
    return read(JSON.parse(decodeForeignUtf8(bytes.subarray(headerBytes)) ?? ''));
  } catch (cause) {
    throw fail('catalog_corrupt', `${what} cannot be read: its content does not match its format`, {
      cause,
    });
  }
}

export function corrupt(what: string, trouble: string): Error {
  return fail('catalog_corrupt', `${what} cannot be read: ${trouble}`);
}

function troubleWith(bytes: Uint8Array): string | undefined {
  if (bytes.length <= headerBytes) return 'it is too short';
  if (bytes[0] !== format)
    return `its format is ${bytes[0]}, this version supports format ${format}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWhole = view.getUint32(1, true) === crc32(bytes.subarray(headerBytes));
  return isWhole ? undefined : 'its checksum is wrong';
}
