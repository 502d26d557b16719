/** Byte strings: comparison, successors, and a growing writer. Order is unsigned lexicographic, shorter prefix first. */

/** Keys are mostly short: up to here a loop is done before a call into the runtime has begun. */
const loopedLength = 32;
/** Likewise copies: beyond so much a view and a call are quicker. */
const loopedCopy = 96;

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  if (left.length > loopedLength) return Buffer.compare(left, right);
  return compareRanges(left, 0, left.length, right, 0, right.length);
}

/** Compares `left[leftFrom, leftTo)` with `right[rightFrom, rightTo)`. */
export function compareRanges(
  left: Uint8Array,
  leftFrom: number,
  leftTo: number,
  right: Uint8Array,
  rightFrom: number,
  rightTo: number,
): number {
  const length = Math.min(leftTo - leftFrom, rightTo - rightFrom);
  for (let i = 0; i < length; i++) {
    const difference = (left[leftFrom + i] as number) - (right[rightFrom + i] as number);
    if (difference !== 0) return difference;
  }
  return leftTo - leftFrom - (rightTo - rightFrom);
}

/** Whether two stretches of the same bytes are alike. */
export function equalRanges(
  bytes: Uint8Array,
  leftFrom: number,
  leftTo: number,
  from: number,
  to: number,
): boolean {
  if (leftTo - leftFrom !== to - from) return false;
  for (let i = from; i < to; i++) if (bytes[leftFrom + i - from] !== bytes[i]) return false;
  return true;
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0;
}

/** The smallest byte string above every string that starts with `prefix`; undefined when there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  const bound = prefix.slice(0, length);
  bound[length - 1] = (bound[length - 1] as number) + 1;
  return bound;
}

/** The smallest byte string above `key`. */
export function afterKey(key: Uint8Array): Uint8Array {
  const bound = new Uint8Array(key.length + 1);
  bound.set(key);
  return bound;
}

/** A byte buffer that grows; little-endian numbers. */
export class ByteWriter {
  bytes: Uint8Array;
  view: DataView;
  length = 0;

  constructor(capacity = 256) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `count` more bytes and returns the offset of the first of them. */
  reserve(count: number): number {
    const at = this.length;
    const needed = at + count;
    if (needed > this.bytes.length) this.grow(needed);
    this.length = needed;
    return at;
  }

  u8(value: number): void {
    const at = this.reserve(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.reserve(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.reserve(4);
    this.view.setUint32(at, value, true);
  }

  f64(value: number): void {
    const at = this.reserve(8);
    this.view.setFloat64(at, value, true);
  }

  /** LEB128, for whole numbers up to 2^53. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  /** The length of `bytes`, then `bytes`. */
  sized(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** The number of items, then each of them. */
  list<T>(
    items: Iterable<T> & ({ length: number } | { size: number }),
    write: (item: T) => void,
  ): void {
    this.varint('length' in items ? items.length : items.size);
    for (const item of items) write(item);
  }

  append(source: Uint8Array, from = 0, to = source.length): void {
    const at = this.reserve(to - from);
    const { bytes } = this;
    if (to - from <= loopedCopy) {
      for (let i = from, j = at; i < to; i++, j++) bytes[j] = source[i] as number;
    } else {
      bytes.set(source.subarray(from, to), at);
    }
  }

  /** A copy of what was written. */
  take(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** A view of what was written, valid until the next write. */
  peek(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  private grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
