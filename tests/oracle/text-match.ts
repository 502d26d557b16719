/** Pattern matching by trying everything; folding by the language's own simple case folding, minus what Unicode 16 added (docs/lir.md §6.8). */

import type { TextPart } from '#lir';

/** Simple foldings that Unicode 15 does not have. */
const unfolded = new Set([
  0x1c89,
  0x1fd3,
  0x1fe3,
  0xa7cb,
  0xa7cc,
  0xa7da,
  0xa7dc,
  0xfb05,
  ...Array.from({ length: 22 }, (_, i) => 0x10d50 + i),
]);

export function matchText(text: string, parts: readonly TextPart[], isFolded: boolean): boolean {
  const source = parts
    .map((part) => (part.kind === 'any_many' ? '[^]*' : [...part.value].map(escaped).join('')))
    .join('');
  if (!isFolded) return new RegExp(`^(?:${source})$`, 'u').test(text);
  const classes = parts
    .map((part) => (part.kind === 'any_many' ? '[^]*' : [...part.value].map(foldedClass).join('')))
    .join('');
  return new RegExp(`^(?:${classes})$`, 'u').test(text);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** Case-insensitive for this one character, unless it stays as it is. */
function foldedClass(character: string): string {
  if (unfolded.has(character.codePointAt(0) as number)) return escaped(character);
  return `(?:(?![${[...unfolded].map((code) => `\\u{${code.toString(16)}}`).join('')}])(?i:${escaped(character)}))`;
}
