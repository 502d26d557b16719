/** Functions that read values from texts. */

import { isInt64 } from '../literal.ts';
import { failed } from '../problem.ts';
import { row } from './row.ts';

/** Without the white space of C at its ends. */
function bare(text: string): string {
  return /^[ \t\n\v\f\r]*(.*?)[ \t\n\v\f\r]*$/s.exec(text)?.[1] as string;
}

function int64Of(text: string): bigint {
  const digits = bare(text);
  if (!/^[+-]?\d+$/.test(digits)) throw failed('invalid_text');
  const magnitude = BigInt(digits.replace(/^[+-]/, ''));
  const value = digits.startsWith('-') ? -magnitude : magnitude;
  if (!isInt64(value)) throw failed('numeric_overflow');
  return value;
}

function float64Of(text: string): number {
  const digits = bare(text);
  if (/^[+-]?(nan|inf|infinity)$/i.test(digits)) throw failed('numeric_overflow');
  const parts = /^[+-]?(?=\.?\d)(\d*\.?\d*)(e[+-]?\d+)?$/i.exec(digits);
  if (parts === null) throw failed('invalid_text');
  const value = Number(digits);
  const isZero = /^[0.]*$/.test(parts[1] as string);
  if (!Number.isFinite(value) || (value === 0 && !isZero)) throw failed('numeric_overflow');
  return value;
}

const yes = ['t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1'];
const no = ['f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0'];

export const parseRows = {
  parse_int64: [row('text > int64', int64Of)],
  parse_float64: [row('text > float64', float64Of)],
  parse_bool: [
    row('text > bool', (text: string) => {
      const word = bare(text).toLowerCase();
      if (yes.includes(word)) return true;
      if (no.includes(word)) return false;
      throw failed('invalid_text');
    }),
  ],
};
