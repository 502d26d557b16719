/** Gathers messages to the client in one buffer. The owner takes the bytes and sends them. */

const usualBytes = 64 << 10;
/** Number of unused buffers that are retained for all connections together. */
const pooledMax = 64;

const pool: Uint8Array[] = [];
const encoder = new TextEncoder();
const none = new Uint8Array(0);
/** Texts up to this length are written without measuring them. */
const shortLength = 512;

export class MessageWriter {
  bytes: Uint8Array = none;
  length = 0;
  private startAt = 0;

  /** Begins a message. `end` sets its length. */
  begin(type: string): void {
    this.reserve(5);
    this.bytes[this.length] = type.charCodeAt(0);
    this.startAt = this.length + 1;
    this.length += 5;
  }

  end(): void {
    this.setInt32(this.startAt, this.length - this.startAt);
  }

  /** Removes the message that was begun last. Used if its content cannot be written. */
  abandon(): void {
    this.length = this.startAt - 1;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  int16(value: number): void {
    this.reserve(2);
    this.bytes[this.length++] = value >> 8;
    this.bytes[this.length++] = value;
  }

  int32(value: number): void {
    this.reserve(4);
    this.setInt32(this.length, value);
    this.length += 4;
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
  }

  /** Writes a text and a zero byte. A zero byte inside would end the text, so it becomes a space. */
  text(value: string): void {
    this.utf8(value.includes('\0') ? value.replaceAll('\0', ' ') : value);
    this.byte(0);
  }

  /** Writes a value with its length. */
  sizedText(value: string): void {
    const at = this.length;
    this.int32(0);
    this.utf8(value);
    this.setInt32(at, this.length - at - 4);
  }

  sizedBytes(value: Uint8Array): void {
    this.int32(value.length);
    this.raw(value);
  }

  utf8(value: string): void {
    const { length } = value;
    if (length > shortLength) {
      this.reserve(Buffer.byteLength(value));
      this.length += encoder.encodeInto(value, this.bytes.subarray(this.length)).written;
      return;
    }
    this.reserve(length * 3);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) {
        at += encoder.encodeInto(i === 0 ? value : value.slice(i), bytes.subarray(at)).written;
        break;
      }
      bytes[at++] = unit;
    }
    this.length = at;
  }

  setInt32(at: number, value: number): void {
    const { bytes } = this;
    bytes[at] = value >> 24;
    bytes[at + 1] = value >> 16;
    bytes[at + 2] = value >> 8;
    bytes[at + 3] = value;
  }

  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const size = Math.max(usualBytes, 2 * this.bytes.length, needed);
    const bytes = size === usualBytes ? (pool.pop() ?? new Uint8Array(size)) : new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, this.length));
    giveBack(this.bytes);
    this.bytes = bytes;
  }

  /** Drops the content and gives the buffer back. */
  clear(): void {
    giveBack(this.bytes);
    this.bytes = none;
    this.length = 0;
  }
}

function giveBack(bytes: Uint8Array): void {
  if (bytes.length === usualBytes && pool.length < pooledMax) pool.push(bytes);
}
