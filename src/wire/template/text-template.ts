/**
 * A text cut at gaps. Another text is of the same template when everything between the gaps is equal and every gap is plain: a string free of quotes,
 * backslashes and control characters, a count of digits alone. Then JSON.parse would give the same tree with other values there, so nothing has to be parsed.
 */

import { isDigit, plainStringEnd } from '#value';
import type { Span } from './spans.ts';

/** `text`: between the quotes of a string. `count`: a whole number of at most 15 digits, as JSON writes it. */
export type GapKind = 'text' | 'count';

export interface Gap extends Span {
  readonly kind: GapKind;
}

export class TextTemplate {
  /** What stands around the gaps: one more than there are gaps. */
  readonly segments: readonly string[];
  readonly kinds: readonly GapKind[];

  /** `gaps` in order of text, not overlapping. */
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

/** The end of the gap that begins at `from`; -1 when what stands there is not plain. */
export function gapEnd(kind: GapKind, text: string, from: number): number {
  return kind === 'text' ? plainStringEnd(text, from, text.length) : countEnd(text, from);
}

/** Longer ones are not exact as numbers. */
const digitsMax = 15;

function countEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at)) && at - from <= digitsMax) at++;
  const isPlain = at > from && at - from <= digitsMax;
  const isPadded = text.charCodeAt(from) === 0x30 && at - from > 1;
  return isPlain && !isPadded ? at : -1;
}
