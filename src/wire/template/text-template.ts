/**
 * A text cut at gaps. Another text matches when everything between the gaps is equal and every gap is plain: free of quotes, backslashes and
 * control characters. Then JSON.parse would give the same tree with the gaps as strings, so nothing has to be parsed.
 */

import type { Span } from './spans.ts';

export class TextTemplate {
  private readonly segments: readonly string[];
  /** Characters that the template itself keeps in memory. */
  readonly length: number;

  /** `gaps` in order of text, not overlapping; each stands between the quotes of a string. */
  constructor(text: string, gaps: readonly Span[]) {
    let from = 0;
    const segments: string[] = [];
    for (const gap of gaps) {
      segments.push(text.slice(from, gap.from));
      from = gap.to;
    }
    this.segments = [...segments, text.slice(from)];
    this.length = text.length;
  }

  /** The text before the first gap: texts of one template share it. */
  get head(): string {
    return this.segments[0] as string;
  }

  /** The gaps of `text`, in order; undefined when it is no text of this template. */
  match(text: string): readonly string[] | undefined {
    const { segments } = this;
    const last = segments.length - 1;
    const gaps: string[] = new Array(last);
    let at = 0;
    for (let i = 0; i < last; i++) {
      const segment = segments[i] as string;
      if (!text.startsWith(segment, at)) return undefined;
      const from = at + segment.length;
      at = text.indexOf('"', from);
      if (at < 0) return undefined;
      const gap = text.slice(from, at);
      if (!isPlain(gap)) return undefined;
      gaps[i] = gap;
    }
    const tail = segments[last] as string;
    return text.length === at + tail.length && text.endsWith(tail) ? gaps : undefined;
  }
}

/** Ends before the next quote by construction. */
function isPlain(gap: string): boolean {
  for (let i = 0; i < gap.length; i++) {
    const code = gap.charCodeAt(i);
    if (code < 0x20 || code === 0x5c) return false;
  }
  return true;
}
