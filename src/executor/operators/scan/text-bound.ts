/** Converts texts to bounds of zones, which compare only their first bytes. */

import type { TextBound } from '#storage';
import { textZoneBytes } from '#storage';

type TextEnds = Pick<TextBound, 'kind' | 'least' | 'greatest'>;

const encoder = new TextEncoder();

export function textEnds(least: string | undefined, greatest: string | undefined): TextEnds {
  return { kind: 'text', least: startOf(least), greatest: startOf(greatest) };
}

/** Returns the bounds of all texts that begin with `start`. */
export function textsFrom(start: string): TextEnds {
  const least = encoder.encode(headOf(start)).subarray(0, textZoneBytes);
  // No UTF-8 text contains this byte.
  const greatest = new Uint8Array(textZoneBytes).fill(0xff);
  greatest.set(least);
  return { kind: 'text', least, greatest };
}

export function startOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : encoder.encode(headOf(text)).subarray(0, textZoneBytes);
}

/** Returns the first code units, one more than the zone has bytes: the last one may be half of a surrogate pair, whose encoded bytes would differ. */
function headOf(text: string): string {
  return text.length > textZoneBytes + 1 ? text.slice(0, textZoneBytes + 1) : text;
}
