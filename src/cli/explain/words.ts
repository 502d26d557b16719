/** Formats numbers and texts of plans for a terminal. */

import { wrap } from '../frame/wrap-line.ts';

/** Formats milliseconds with 0 to 2 decimals, depending on the magnitude. */
export function milliseconds(micros: number): string {
  const digits = micros < 10_000 ? 2 : micros < 1_000_000 ? 1 : 0;
  const [whole = '', part] = (micros / 1000).toFixed(digits).split('.');
  return Number(whole).toLocaleString('en-US') + (part === undefined ? '' : `.${part}`);
}

/** Escapes control characters as in JSON, because names and literals come from other users and could control the terminal. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters intentionally
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Wraps a text to lines of at most `width` columns. A word that is too long is cut. All lines after the first start with `indent`. */
export function fitted(text: string, width: number, indent = ''): readonly string[] {
  const lead = /^ */.exec(text)?.[0] ?? '';
  return wrap(text.slice(lead.length), width, { lead, indent, isHard: true });
}
