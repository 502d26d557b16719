/** Numbers and texts of plans, as they stand in a terminal. */

import { wrap } from '../frame/wrap-line.ts';

/** Milliseconds, with as many digits as say something. */
export function milliseconds(micros: number): string {
  const digits = micros < 10_000 ? 2 : micros < 1_000_000 ? 1 : 0;
  const [whole = '', part] = (micros / 1000).toFixed(digits).split('.');
  return Number(whole).toLocaleString('en-US') + (part === undefined ? '' : `.${part}`);
}

/** Names and literals are of other people: what would steer the terminal is shown as it is written in JSON. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are meant
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Lines of at most `width`, broken at words; a word that is too long is cut. What follows the first line begins with `indent`. */
export function fitted(text: string, width: number, indent = ''): readonly string[] {
  const lead = /^ */.exec(text)?.[0] ?? '';
  return wrap(text.slice(lead.length), width, { lead, indent, isHard: true });
}
