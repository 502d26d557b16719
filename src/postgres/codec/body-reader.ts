/** Reads the fields of one message. A field that passes the end of the message is a `ProtocolError`. */

import { decodeForeignUtf8 } from '#base';
import { sqlError } from '#sql';
import { ProtocolError } from './protocol-error.ts';

export class BodyReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    return this.bytes[this.advance(1)] as number;
  }

  int16(): number {
    const at = this.advance(2);
    return ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number);
  }

  int32(): number {
    const at = this.advance(4);
    const { bytes } = this;
    const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16);
    return high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  }

  /** Reads a text up to its zero byte. Throws `22021` if the bytes are not UTF-8. */
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new ProtocolError('invalid string in message');
    const bytes = this.bytes.subarray(this.at, end);
    this.at = end + 1;
    return utf8Of(bytes);
  }

  take(count: number): Uint8Array {
    const at = this.advance(count);
    return this.bytes.subarray(at, at + count);
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Throws if the message has more bytes than its fields. */
  done(): void {
    if (this.remaining > 0) throw new ProtocolError('invalid message format');
  }

  private advance(count: number): number {
    const { at } = this;
    if (count < 0 || count > this.bytes.length - at) {
      throw new ProtocolError('insufficient data left in message');
    }
    this.at = at + count;
    return at;
  }
}

/** Decodes a text of the client. Throws `22021` if the bytes are not UTF-8, or contain a zero byte. */
export function utf8Of(bytes: Uint8Array): string {
  if (bytes.includes(0)) throw sqlError('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  const short = asciiOf(bytes);
  if (short !== undefined) return short;
  // The decoder drops a byte order mark, which is part of a value here.
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = decodeForeignUtf8(bytes);
  if (text !== undefined) return hasMark ? `\ufeff${text}` : text;
  throw sqlError('22021', 'invalid byte sequence for encoding "UTF8"');
}

const shortBytes = 24;

/** Returns the text of a few ASCII bytes, `undefined` for others. Names and keys are read so. */
function asciiOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > shortBytes) return undefined;
  let text = '';
  for (const byte of bytes) {
    if (byte > 0x7f) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
