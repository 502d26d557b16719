/** Values as cell and literal text: mostly small ones that meet each other, some at the edges of their type. */

import type { Literal } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';

export const scalars: readonly ScalarType[] = ['int64', 'text', 'float64', 'bool', 'bytes'];

type Pool = Readonly<Record<ScalarType, readonly string[]>>;

/** Few, so that equalities hold and keys collide now and then. */
const common: Pool = {
  int64: ['1', '2', '0', '3', '-1', '7'],
  float64: ['1', '0.5', '0', '-0', '2', '-1.5', '3'],
  // UTF-16 units and code points order the two beyond ASCII differently.
  text: ['a', 'b', '\u{1f600}', '\uff5e', 'n', '', 'ab', 'A', 'ba'],
  bool: ['false', 'true'],
  bytes: ['AA==', 'YWI=', '', 'AAA=', '/w=='],
};

const edges: Pool = {
  int64: [
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '-9007199254740992',
    '4611686018427387904',
    '4294967296',
    '-2147483649',
    '9007199254740992',
  ],
  float64: [
    '1e308',
    '5e-324',
    '9007199254740993',
    '-7',
    '-1e308',
    '2.2250738585072014e-308',
    '9223372036854775808',
    '0.1',
    '1e16',
    '123456.789',
    '1e-7',
  ],
  text: [
    '\u0000',
    'a\u0000',
    'k',
    '\u212a',
    'ß',
    'ſ',
    'é',
    'e\u0301',
    'a\u0000b',
    '\u{10ffff}',
    '\ufb06',
    '"\\\n\u007f',
    'abababababababab',
  ],
  bool: ['false', 'true'],
  bytes: ['AP8=', 'AAAA', '/w8=', '/////w==', 'AAEA/wA='],
};

/** Of 16 bytes, for identifiers. */
const identifiers = [
  'AAAAAAAAAAAAAAAAAAAAAA==',
  'AAAAAAAAAAAAAAAAAAAAAQ==',
  '/////////////////////w==',
  'ASNFZ4mrze8BI0VniavN7w==',
  'gAAAAAAAAAAAAAAAAAAAAA==',
];

/** `format`: of the column that the value is for. */
export function valueText(choices: Choices, type: ScalarType, format?: string): string {
  if (format === 'uuid' && type === 'bytes') return choices.pick(identifiers);
  if (type === 'bytes' && choices.oneIn(8)) return choices.pick(identifiers);
  // The first ones more often than the others.
  const pool = (choices.oneIn(5) ? edges : common)[type];
  return pool[choices.below(1 + choices.below(pool.length))] as string;
}

/** All of a type's values alike, and more integers: for keys, which should rarely collide. */
export function keyText(choices: Choices, type: ScalarType): string {
  if (type === 'int64' && !choices.oneIn(6)) return String(choices.below(12));
  return choices.pick([...common[type], ...edges[type]]);
}

export function cellOf(
  choices: Choices,
  column: { readonly type: ScalarType; readonly nullable: boolean; readonly format?: string },
): string | null {
  if (column.nullable && choices.oneIn(5)) return null;
  return valueText(choices, column.type, column.format);
}

/** Never NULL. */
export function solidLiteral(choices: Choices, type: ScalarType, format?: string): Literal {
  const text = valueText(choices, type, format);
  return type === 'bool' ? { type, value: text === 'true' } : { type, value: text };
}

export function literalOf(choices: Choices, type: ScalarType): Literal {
  return choices.oneIn(20) ? ({ type } as Literal) : solidLiteral(choices, type);
}
