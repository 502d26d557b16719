/** Bodies of objects: one byte array, or several parts in order. */

import type { Body } from './store.ts';

export function partsOf(body: Body): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body;
}

export function bodyBytes(body: Body): number {
  let bytes = 0;
  for (const part of partsOf(body)) bytes += part.length;
  return bytes;
}

/** Returns the whole body as one array. The result is always a copy. */
export function concatenate(body: Body): Uint8Array {
  const whole = new Uint8Array(bodyBytes(body));
  let at = 0;
  for (const part of partsOf(body)) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Yields copies of `length` bytes each, in order. The last one may be shorter. */
export function* stretchesOf(body: Body, length: number): Generator<Uint8Array, undefined> {
  let rest = bodyBytes(body);
  let stretch = new Uint8Array(Math.min(length, rest));
  let filled = 0;
  for (const part of partsOf(body)) {
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + stretch.length - filled);
      stretch.set(piece, filled);
      filled += piece.length;
      at += piece.length;
      if (filled < stretch.length) continue;
      yield stretch;
      rest -= filled;
      stretch = new Uint8Array(Math.min(length, rest));
      filled = 0;
    }
  }
}
