/** Values that are bodies of rows: tables at rest have them as columns, and know the least and the greatest number of each block. */

import type { ZoneBound } from '#storage';
import { bodyOf, int, text } from '../storage/columns/bodies.ts';
import type { Dice } from './dice.ts';

/** Physical id of the column that zones are about. */
const numberColumn = 3;
const textColumn = 5;
/** The digits of the number alone, so that questions can ask for exactly the least and the greatest text of a block. */
const digitsColumn = 6;
const laterColumn = 7;

/** `head` makes the body different from every other one; some have a column more, or are no body at all. */
export function anyRow(dice: Dice, head: string, length: number): Uint8Array {
  if (dice.chance(0.03)) return text(head.padEnd(length, '.'));
  const number = dice.chance(0.1) ? undefined : dice.below(dice.pick([3, 200, 100_000]));
  const note = text(`n=${number};${head}`.padEnd(length, '.'));
  const cells = [
    { id: numberColumn, bytes: number === undefined ? undefined : int(number) },
    { id: textColumn, bytes: note },
    { id: digitsColumn, bytes: number === undefined ? undefined : text(`n=${number}`) },
  ];
  const later = { id: laterColumn, bytes: text(dice.pick(['open', 'paid', 'sent'])) };
  return bodyOf(dice.chance(0.3) ? [...cells, later] : cells, true);
}

/** The number of such a body, as its text says; undefined for NULL and for what is no body. */
export function numberOf(value: Uint8Array): number | undefined {
  if (((value[0] as number) & 0xf0) !== 0x10) return undefined;
  const [, number] = /n=(\d+);/.exec(Buffer.from(value).toString('latin1')) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Numbers that are asked for. Some ranges are about its digits, compared as texts. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

const isOfDigits = ({ min }: NumberRange): boolean => min % 2 === 1;

function digitsOf(range: NumberRange): { readonly least: string; readonly greatest?: string } {
  const [least, greatest] = [`n=${range.min}`, `n=${range.max}`].sort() as [string, string];
  return Number.isFinite(range.max) ? { least, greatest } : { least: `n=${range.min}` };
}

export function anyNumbers(dice: Dice): NumberRange {
  const min = dice.below(dice.pick([3, 200, 100_000]));
  return { min, max: dice.chance(0.5) ? Number.POSITIVE_INFINITY : min + dice.below(1000) };
}

export function zoneOf(range: NumberRange): ZoneBound {
  if (!isOfDigits(range)) return { kind: 'number', column: numberColumn, isFloat: false, ...range };
  const { least, greatest } = digitsOf(range);
  return {
    kind: 'text',
    column: digitsColumn,
    least: text(least),
    greatest: greatest === undefined ? undefined : text(greatest),
  };
}

/** Whether a value with this fingerprint has a number in the range. */
export function isWithin(range: NumberRange, fingerprint: string): boolean {
  const [, found] = /^n=(\d+):/.exec(fingerprint) ?? [];
  if (found === undefined) return false;
  if (!isOfDigits(range)) return Number(found) >= range.min && Number(found) <= range.max;
  const { least, greatest } = digitsOf(range);
  const digits = `n=${found}`;
  return digits >= least && (greatest === undefined || digits <= greatest);
}
