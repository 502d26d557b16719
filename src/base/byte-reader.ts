/** Reads the encoding of ByteWriter. Reading past the end throws a RangeError, so callers should verify a checksum first. */

export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = from;
    this.end = to;
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.advance(8), true);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** Returns a view of the next `count` bytes. */
  take(count: number): Uint8Array {
    const from = this.advance(count);
    return this.bytes.subarray(from, from + count);
  }

  /** Reads a length and returns a copy of that many bytes, which remains valid independently of the source. */
  sized(): Uint8Array {
    return this.take(this.varint()).slice();
  }

  /** Reads a count, and then that number of items. */
  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let count = this.varint(); count > 0; count--) items.push(read());
    return items;
  }

  /** Skips the next `count` bytes and returns their offset. */
  skip(count: number): number {
    return this.advance(count);
  }

  private advance(count: number): number {
    const from = this.at;
    if (from + count > this.end) throw new RangeError('read past the end of the bytes');
    this.at = from + count;
    return from;
  }
}
