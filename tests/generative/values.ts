/** Values at the edges, as cell and literal text. */

import type { Literal } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';

export const pools: Readonly<Record<ScalarType, readonly string[]>> = {
  int64: [
    '0',
    '1',
    '2',
    '3',
    '-1',
    '7',
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '-9007199254740992',
    '4611686018427387904',
  ],
  float64: [
    '0',
    '1',
    '-0',
    '0.5',
    '-1.5',
    '3',
    '2.25',
    '1e308',
    '5e-324',
    '9007199254740993',
    '-7',
  ],
  text: [
    '',
    'a',
    'b',
    'ab',
    'A',
    'k',
    '\u212a',
    'ß',
    '\u0000',
    'a\u0000',
    '\u{1f600}',
    '\uff5e',
    'é',
    'ba',
  ],
  bool: ['false', 'true'],
  bytes: ['', 'AA==', 'AAA=', 'AP8=', '/w==', 'YWI='],
};

export function cellOf(choices: Choices, type: ScalarType, nullable: boolean): string | null {
  if (nullable && choices.oneIn(4)) return null;
  return choices.pick(pools[type]);
}

export function literalOf(choices: Choices, type: ScalarType): Literal {
  if (choices.oneIn(12)) return { type } as Literal;
  const text = choices.pick(pools[type]);
  return type === 'bool' ? { type, value: text === 'true' } : { type, value: text };
}
