/** Texts as the bounds of zones: as many of their bytes as zones can tell apart. */

import type { TextBound } from '#storage';
import { textZoneBytes } from '#storage';

type TextEnds = Pick<TextBound, 'kind' | 'least' | 'greatest'>;

const encoder = new TextEncoder();

export function textEnds(least: string | undefined, greatest: string | undefined): TextEnds {
  return { kind: 'text', least: startOf(least), greatest: startOf(greatest) };
}

/** Of all texts that begin so. */
export function textsFrom(start: string): TextEnds {
  const least = encoder.encode(headOf(start)).subarray(0, textZoneBytes);
  // No text has such a byte.
  const greatest = new Uint8Array(textZoneBytes).fill(0xff);
  greatest.set(least);
  return { kind: 'text', least, greatest };
}

export function startOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : encoder.encode(headOf(text)).subarray(0, textZoneBytes);
}

/** Units enough, and one more: the last one may be half a character, whose bytes would be others. */
function headOf(text: string): string {
  return text.length > textZoneBytes + 1 ? text.slice(0, textZoneBytes + 1) : text;
}
