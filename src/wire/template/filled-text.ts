/** A text with gaps, filled from strings whose order differs from that of the gaps. */

import type { TextSpan } from './spans.ts';

export class FilledText {
  private readonly pieces: readonly string[];
  /** The index of the string for each gap, in the order of the text. */
  private readonly order: readonly number[];

  /** The i-th string fills `gaps[i]`. Gaps do not overlap. */
  constructor(text: string, gaps: readonly TextSpan[]) {
    const from = (i: number) => (gaps[i] as TextSpan).from;
    this.order = [...gaps.keys()].sort((a, b) => from(a) - from(b));
    const starts = [0, ...this.order.map((i) => (gaps[i] as TextSpan).to)];
    const ends = [...this.order.map(from), text.length];
    this.pieces = starts.map((start, i) => text.slice(start, ends[i]));
  }

  with(strings: readonly string[]): string {
    let text = this.pieces[0] as string;
    for (let i = 0; i < this.order.length; i++) {
      text += (strings[this.order[i] as number] as string) + (this.pieces[i + 1] as string);
    }
    return text;
  }
}
