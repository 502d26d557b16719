/** Simple case folding of single code points to single code points: the comparison form of `unicode_simple_fold`. */

import { foldRuns } from './fold-table.ts';

/** Folds every code point of the text. Two texts match without regard to case if and only if their folded forms are equal. */
export function foldText(text: string): string {
  return beyondAscii.test(text) ? foldBeyondAscii(text) : text.toLowerCase();
}

/** Returns the simple folding of one code point. */
export function foldCodePoint(codePoint: number): number {
  if (codePoint <= 0xffff) return basicPlane[codePoint] as number;
  return beyondBasicPlane.get(codePoint) ?? codePoint;
}

const beyondAscii = /[\u0080-\uffff]/;
/** The folding of every UTF-16 unit. Surrogates fold to themselves. */
const basicPlane = Uint16Array.from({ length: 0x10000 }, (_, unit) => unit);
const beyondBasicPlane = new Map<number, number>();

for (const run of foldRuns.split(' ')) {
  const [first = '', count = '', step = '', delta = ''] = run.split(',');
  for (let i = 0; i < Number(count); i++) {
    const codePoint = Number.parseInt(first, 16) + i * Number(step);
    const folded = codePoint + Number(delta);
    if (codePoint <= 0xffff) basicPlane[codePoint] = folded;
    else beyondBasicPlane.set(codePoint, folded);
  }
}

function foldBeyondAscii(text: string): string {
  let folded = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      folded += String.fromCodePoint(foldCodePoint(text.codePointAt(i) as number));
      i++;
    } else {
      folded += String.fromCharCode(basicPlane[unit] as number);
    }
  }
  return folded;
}
