/** Text as UTF-8 bytes. A text must be well-formed Unicode; a lone surrogate would become U+FFFD. */

import type { ByteWriter } from './bytes.ts';

interface Utf8Slice {
  call(bytes: Uint8Array, from: number, to: number): string;
}

const utf8Slice = (Buffer.prototype as unknown as { readonly utf8Slice: Utf8Slice }).utf8Slice;
const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of `bytes[from, to)`, which must have been written by `appendUtf8`. */
export function decodeUtf8(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return utf8Slice.call(bytes, from, to);
}

/** Decodes external bytes; returns `undefined` if they are not UTF-8. Drops a leading byte order mark. */
export function decodeForeignUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns `text` without a leading byte order mark, which a parser of JSON refuses (RFC 8259 §8.1 permits to ignore it). */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Longer texts are measured first, since a buffer for the widest characters would retain too much memory. */
const measuredLength = 4096;

/** Appends the UTF-8 bytes of `text`, without its length. */
export function appendUtf8(writer: ByteWriter, text: string): void {
  const length = text.length;
  const at = writer.reserve(length > measuredLength ? Buffer.byteLength(text) : length * 3);
  const { bytes } = writer;
  let end = at;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      const { written } = encoder.encodeInto(i === 0 ? text : text.slice(i), bytes.subarray(end));
      end += written;
      break;
    }
    bytes[end++] = unit;
  }
  writer.length = end;
}
