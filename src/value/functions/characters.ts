/** Positions in texts. A character is a code point, which is one UTF-16 unit or two. */

const surrogates = /[\ud800-\udfff]/;

/** Returns whether each character of the text is one unit. */
export function isBasic(text: string): boolean {
  return !surrogates.test(text);
}

export function characterCount(text: string): number {
  if (isBasic(text)) return text.length;
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    // The second half of a pair counts no further character, since text is well-formed.
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** Returns the characters [from, to), counted from 0. */
export function sliceCharacters(text: string, from: number, to: number): string {
  if (to <= from || from >= text.length) return '';
  if (isBasic(text)) return text.slice(from, to);
  const start = unitAt(text, from);
  return text.slice(start, start + unitAt(text.slice(start), to - from));
}

/** Returns the index of the unit at which a character begins; the length of the text if there are fewer characters. */
function unitAt(text: string, characters: number): number {
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) {
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 ? 2 : 1;
  }
  return at;
}
