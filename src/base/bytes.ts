/** Byte strings: comparison, successors, and a growing writer. The order is unsigned lexicographic, shorter prefix first. */

/** Maximum length for a comparison by loop. Keys are mostly short, and for these a loop is faster than a call into the runtime. */
const loopedLength = 32;
/** Maximum length for a copy by loop. Above it, a view and a call are faster. */
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

/** Returns whether two ranges of `bytes` have the same content. */
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

/** Length up to which a loop copies bytes faster than a call of `slice`. */
const shortLength = 48;

/** Returns a copy of the first `length` bytes, which exist. */
function copyOf(bytes: Uint8Array, length: number): Uint8Array {
  if (length > shortLength) return bytes.slice(0, length);
  const copy = new Uint8Array(length);
  for (let i = 0; i < length; i++) copy[i] = bytes[i] as number;
  return copy;
}

/** Returns the smallest byte string above every string that starts with `prefix`; `undefined` if there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  const bound = copyOf(prefix, length);
  bound[length - 1] = (bound[length - 1] as number) + 1;
  return bound;
}

/** Returns the smallest byte string above `key`. */
export function afterKey(key: Uint8Array): Uint8Array {
  const bound = new Uint8Array(key.length + 1);
  bound.set(key);
  return bound;
}

/** A growing byte buffer. Numbers are little-endian. */
export class ByteWriter {
  bytes: Uint8Array;
  view: DataView;
  length = 0;

  constructor(capacity = 256) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Appends `count` bytes to be written by the caller, and returns their offset. */
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

  /** Writes an integer from 0 to 2^53 as LEB128. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  /** Writes the length of `bytes`, then `bytes`. */
  sized(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** Writes the number of items, then each item. */
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

  /** Returns a copy of the written bytes. */
  take(): Uint8Array {
    return copyOf(this.bytes, this.length);
  }

  /** Returns a view of the written bytes, valid until the next write. */
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
