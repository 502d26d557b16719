/** Simple case mapping: each code point becomes one code point, without locale and without context, as in PostgreSQL. */

const beyondAscii = /[\u0080-\uffff]/;

export function lowerText(text: string): string {
  return beyondAscii.test(text) ? mapped(text, lowerCodePoint) : text.toLowerCase();
}

export function upperText(text: string): string {
  return beyondAscii.test(text) ? mapped(text, upperCodePoint) : text.toUpperCase();
}

const word = /[\p{Alphabetic}\p{Nd}]+/gu;

/** The first character of each word in upper case and the others in lower case. A word consists of letters and digits. */
export function initialCapitals(text: string): string {
  return text.replace(word, (found) => {
    const [first = ''] = found;
    return upperText(first) + lowerText(found.slice(first.length));
  });
}

function mapped(text: string, map: (character: string) => string): string {
  let result = '';
  for (const character of text) result += map(character);
  return result;
}

/** The mappings of Unicode that lead to several code points have another, simple mapping in these cases. */
const dottedCapitalI = '\u0130';

function lowerCodePoint(character: string): string {
  return character === dottedCapitalI ? 'i' : simple(character, character.toLowerCase());
}

function upperCodePoint(character: string): string {
  return greekWithIota(character) ?? simple(character, character.toUpperCase());
}

function simple(character: string, mapping: string): string {
  const point = mapping.codePointAt(0) as number;
  return mapping.length === (point > 0xffff ? 2 : 1) ? mapping : character;
}

/** Small Greek letters with iota subscript have a title case letter of one code point, to which they are mapped. */
function greekWithIota(character: string): string | undefined {
  const point = character.charCodeAt(0);
  if (point < 0x1f80 || point > 0x1ff3) return undefined;
  if (point < 0x1fb0) return String.fromCharCode(point | 8);
  return point === 0x1fb3 || point === 0x1fc3 || point === 0x1ff3
    ? String.fromCharCode(point + 9)
    : undefined;
}
