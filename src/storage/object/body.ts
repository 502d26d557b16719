/** Bodies of objects: one byte array, or parts that follow each other. */

import type { Body } from './store.ts';

export function partsOf(body: Body): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body;
}

export function bodyBytes(body: Body): number {
  let bytes = 0;
  for (const part of partsOf(body)) bytes += part.length;
  return bytes;
}

/** Always a copy. */
export function concatenate(body: Body): Uint8Array {
  const whole = new Uint8Array(bodyBytes(body));
  let at = 0;
  for (const part of partsOf(body)) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
