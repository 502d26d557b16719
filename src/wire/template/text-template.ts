/**
 * A text divided at gaps, which are its parameter positions. Another text matches the template if the text between the gaps is equal and every
 * gap is plain: a string without quotes, backslashes and control characters, or a count of digits only. JSON.parse would then return the same
 * tree with other values in the gaps, so the text need not be parsed.
 */

import { isDigit, plainStringEnd } from '#value';
import type { TextSpan } from './spans.ts';

/** `text`: the characters between the quotes of a string. `count`: an integer of at most 15 digits, in JSON notation. */
export type GapKind = 'text' | 'count';

export interface Gap extends TextSpan {
  readonly kind: GapKind;
}

export class TextTemplate {
  /** The text around the gaps; one segment more than there are gaps. */
  readonly segments: readonly string[];
  readonly kinds: readonly GapKind[];

  /** `gaps` must be in the order of the text and not overlap. */
  constructor(text: string, gaps: readonly Gap[]) {
    let from = 0;
    const segments: string[] = [];
    for (const gap of gaps) {
      segments.push(text.slice(from, gap.from));
      from = gap.to;
    }
    this.segments = [...segments, text.slice(from)];
    this.kinds = gaps.map(({ kind }) => kind);
  }
}

/** Returns the end of the gap that begins at `from`, -1 if its text is not plain. */
export function gapEnd(kind: GapKind, text: string, from: number): number {
  return kind === 'text' ? plainStringEnd(text, from, text.length) : countEnd(text, from);
}

/** Maximum number of digits; a longer count might not be exact as a number. */
const digitsMax = 15;

function countEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at)) && at - from <= digitsMax) at++;
  const isPlain = at > from && at - from <= digitsMax;
  const isPadded = text.charCodeAt(from) === 0x30 && at - from > 1;
  return isPlain && !isPadded ? at : -1;
}
