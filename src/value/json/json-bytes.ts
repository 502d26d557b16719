/** A JSON text under construction, as UTF-8. Numbers and short texts are written character by character, without a string for each. */

import type { ByteString, Datum } from '../datum.ts';
import { formatBytes } from '../identifier/format.ts';
import { formatFloat64 } from './number-text.ts';
import { encodeText } from './text.ts';

const firstCapacity = 96 * 1024;
/** A text above this length is written faster in one call. */
const shortText = 48;
/** Maximum size of a number with its sign, or of a word. */
const cellBytesMax = 32;
/** Maximum size of a UTF-16 unit. */
const unitBytesMax = 3;
/** Floats below this number of thousandths, with at most three decimal places, are written as integers of thousandths. */
const thousandthsMax = 2_000_000_000;

export class JsonBytes {
  length = 0;
  /** Number of texts that had to be escaped after a first attempt. */
  escapes = 0;
  private buffer = Buffer.allocUnsafe(firstCapacity);

  /** Returns the bytes written since the last call. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.buffer.subarray(0, this.length));
    this.length = 0;
    return taken;
  }

  /** Writes a character below 0x80. */
  byte(code: number): void {
    this.reserve(1);
    this.buffer[this.length++] = code;
  }

  raw(text: string): void {
    this.reserve(text.length * unitBytesMax);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  /** Writes a short text, such as a member name. */
  copy(from: Uint8Array): void {
    this.reserve(from.length);
    const { buffer } = this;
    let { length } = this;
    for (let i = 0; i < from.length; i++) buffer[length++] = from[i] as number;
    this.length = length;
  }

  text(value: Datum): void {
    const text = value as string | null;
    if (text === null) this.copy(words.null);
    else if (text.length > shortText) this.raw(encodeText(text));
    else if (!this.plain(text)) {
      this.escapes++;
      this.raw(encodeText(text));
    }
  }

  bytes(value: Datum): void {
    if (value === null) {
      this.copy(words.null);
      return;
    }
    this.byte(quote);
    this.ascii(formatBytes(value as ByteString));
    this.byte(quote);
  }

  int64(value: Datum): void {
    if (typeof value === 'number') {
      this.reserve(cellBytesMax);
      this.whole(value);
    } else {
      this.ascii(String(value));
    }
  }

  float64(value: Datum): void {
    if (value === null) this.copy(words.null);
    else if (!this.short(value as number)) this.ascii(formatFloat64(value as number));
  }

  bool(value: Datum): void {
    this.copy(value === null ? words.null : value === true ? words.true : words.false);
  }

  /** Writes a text of characters below 0x80. */
  private ascii(text: string): void {
    this.reserve(text.length);
    const { buffer } = this;
    let { length } = this;
    for (let i = 0; i < text.length; i++) buffer[length++] = text.charCodeAt(i);
    this.length = length;
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }

  /** Writes a text of unescaped ASCII. Returns false and writes nothing if it contains other characters. */
  private plain(text: string): boolean {
    this.reserve(text.length + 2);
    const { buffer } = this;
    let at = this.length;
    buffer[at++] = quote;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code === quote || code === backslash || code >= 0x80) return false;
      buffer[at++] = code;
    }
    buffer[at++] = quote;
    this.length = at;
    return true;
  }

  /**
   * Writes a float with at most three decimal places. Returns false and writes nothing for other floats, for zero, and for very large ones.
   */
  private short(value: number): boolean {
    const thousandths = Math.round(value * 1_000);
    const magnitude = Math.abs(thousandths);
    // Different decimals with this few digits are never the same float, so this is the shortest one.
    if (magnitude >= thousandthsMax || magnitude === 0 || thousandths / 1_000 !== value)
      return false;
    this.reserve(cellBytesMax);
    if (thousandths < 0) this.buffer[this.length++] = minus;
    const whole = Math.trunc(magnitude / 1_000);
    this.digits(whole);
    this.buffer[this.length++] = point;
    this.fraction(magnitude - whole * 1_000);
    return true;
  }

  /** Writes a safe integer. */
  private whole(value: number): void {
    let magnitude = value;
    if (value < 0) {
      this.buffer[this.length++] = minus;
      magnitude = -value;
    }
    const high = Math.floor(magnitude / billion);
    if (high === 0) {
      this.digits(magnitude);
    } else {
      this.digits(high);
      this.padded(magnitude - high * billion, 9);
    }
  }

  /** Writes an integer below a billion. */
  private digits(value: number): void {
    let count = 1;
    for (let power = 10; value >= power; power *= 10) count++;
    this.padded(value, count);
  }

  private padded(value: number, count: number): void {
    const { buffer } = this;
    let rest = value | 0;
    for (let at = this.length + count - 1; at >= this.length; at--) {
      const tenth = (rest / 10) | 0;
      buffer[at] = zero + rest - tenth * 10;
      rest = tenth;
    }
    this.length += count;
  }

  /** Writes thousandths with at least one digit. */
  private fraction(thousandths: number): void {
    if (thousandths % 100 === 0) this.padded(thousandths / 100, 1);
    else if (thousandths % 10 === 0) this.padded(thousandths / 10, 2);
    else this.padded(thousandths, 3);
  }
}

const words = { null: Buffer.from('null'), true: Buffer.from('true'), false: Buffer.from('false') };
const billion = 1_000_000_000;
const [quote, backslash, minus, point, zero] = [0x22, 0x5c, 0x2d, 0x2e, 0x30] as const;
