/** Arguments worth trying, by type, and by function where few texts mean anything to it. */

import { ByteString, type FunctionName, type Scalar, type ScalarType } from '#value';

const common: Readonly<Record<ScalarType, readonly Scalar[]>> = {
  text: [
    ...['', 'a', 'ab', 'abc', 'ABC', ' a b ', '  ', 'aaa', 'hello world', 'foo-bar baZ', 'xyxay'],
    ...['é', 'e\u0301', 'ß', 'İ', 'ΣΑΣ', 'ᾳ', 'a\u{1f600}b', '\u{1f600}', '\u{1f600}\u{1f601}'],
    ...['\\', '%', ',', 'ab,cd,,ef', "it's", 'a\u0000b', '123', '\u{10400}x', 'Ünï tést1a'],
  ],
  int64: [
    ...[0, 1, -1, 2, -2, 3, 5, -7, 63, 64, 100, 2 ** 31, -(2 ** 53), 2 ** 53 - 1],
    ...[9223372036854775807n, -9223372036854775808n, 4611686018427387904n, 9007199254740993n],
  ],
  float64: [
    ...[0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 10, 100, 0.1, 1e15, 1e-5, 5e-324],
    ...[1.7976931348623157e308, -1e300, 2147483648.5, 2 ** 63, -(2 ** 63), 2251799813685249.5],
  ],
  bool: [true, false],
  bytes: ['', '00', 'ff', '616263', '5c', '00ff5c41', '0123456789abcdef'.repeat(8)].map(
    (hex) => new ByteString(Uint8Array.fromHex(hex)),
  ),
};

const likeArguments: Readonly<Record<number, readonly Scalar[]>> = {
  0: [
    ...[
      '',
      'a',
      'ab',
      'abc',
      'aXbXc',
      'a%c',
      'a_c',
      'a\u{1f600}c',
      '\u{1f600}',
      'aaab',
      'ABC',
      'É',
    ],
    ...['é', 'a\\b', 'mississippi', 'aa', 'abababab', 'a\nb', 'aXb', 'İ'],
  ],
  1: [
    ...['', '%', '_', 'a%', '%c', 'a%c', 'a_c', 'a\\%c', 'a\\_c', '%%', '_%_', '%b%', 'a\\', 'A%C'],
    ...['%a%a%b', '__', '\\\\', 'm%iss%pi', '%i%i_i%i%', '%i_s%', 'é', 'É', 'a\u{1f600}_', 'a#%c'],
    ...['_b%b_b%', '%_a_%', '%s_pp_', 'i'],
  ],
  2: ['\\', '#', '', 'ab', 'a', '%', '_', '\u{1f600}'],
};

const units = [
  ...['milliseconds', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'],
  ...['decade', 'century', 'millennium', 'eon', 'constructor'],
];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', '+01:00'];
const times: readonly Scalar[] = [
  ...[0, 1, -1, 1609459200000, 1616893199999, 1616893200000, 1635638400000, 1635642000000],
  ...[1635645600000, 1613269800000, 951782400123, 1582934400000, -2208988800000, 1609632007123],
  ...[-62135596800000, -62135596800001, -65000000000000, 4102444799999, 1615689000000],
  ...[1604205000000, 1604208600000, 8e15, -8e15, 8.1e15, 1633186800000, 9223372036854775807n],
];

const special: Partial<Record<FunctionName, Readonly<Record<number, readonly Scalar[]>>>> = {
  encode: { 1: ['hex', 'base64', 'escape', 'HEX', 'octal'] },
  decode: {
    0: [
      ...['', 'ff', '0', 'xyz', 'FF 0\n0', 'AAA=', 'AAE=', 'A A E =', '==', 'AAAA', 'AA', '////'],
      ...['a\\000b', '\\\\', '\\', '\\777', '\\0', 'abc\\', 'é', 'AB==C', 'AB='],
    ],
    1: ['hex', 'base64', 'escape', 'Base64', 'octal'],
  },
  date_trunc: { 0: units, 1: times, 2: zones },
  date_part: { 0: [...units, 'dow', 'isodow', 'doy', 'epoch', 'isoyear'], 1: times, 2: zones },
  date_bin: { 0: [1, 7, 1000, 900000, 3600000, 604800000, 0, -5, 2 ** 53], 1: times, 2: times },
  add_months: { 0: times, 1: [0, 1, -1, 12, 2, 11, -13, 1200, 1e6, -1e6, 2 ** 53], 2: zones },
  regex: {
    0: [
      ...['', 'a', 'abc', 'aXc', 'foo123', 'a\nb', 'é', '\u{1f600}', 'ABC', 'aaa', 'b', ']', '-'],
      ...['x y', '.', 'ax', 'aab', 'foo', 'aaaab', 'aaaabc'],
    ],
    1: [
      ...['', 'a', '^a', 'c$', '[0-9]+', 'a.c', 'a|b', '(ab)+c', '[^a]', '\\d', '\\w+', 'b$', '^$'],
      ...[
        '.',
        'a{2}',
        'a{0,1}$',
        '[[:alpha:]]',
        '(',
        '[',
        '*',
        '\\s',
        '^.$',
        'x*',
        '(?:a)b',
        '[a-]',
      ],
      ...[
        '[]a]',
        '[^]a]',
        '()',
        'a|',
        '(a*)*$',
        'a+?',
        'a{1,2}?c',
        '[a-c]x',
        '[c-a]',
        'a**',
        '\\.',
      ],
      ...[
        '^(foo|abc)$',
        ')',
        'a{2,1}',
        '[a',
        '\\',
        '^*',
        '(^a)',
        'a$b',
        '(?=a)',
        '(a)\\1',
        '(|a)b',
      ],
      ...['^a{2,3}b?$', '^(a|b)*$', '[^[:alpha:]]', '\\W', '^a{3,}b', 'a{1}{2}', '[\\d]', '[A-Z]'],
      ...['[[:digit:][:alpha:]]+$', '^[^\\d]*$', '((a|b)|c)+$', '(a+b?){2}'],
    ],
    2: ['', 'i', 'g'],
  },
  like: likeArguments,
  ilike: likeArguments,
  parse_int64: {
    0: [
      ...['1', ' 1 ', '-5', '+5', '', ' ', 'abc', '1.0', '007', '0x10', '1e3', '--1', '- 1', '1 2'],
      ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '\t1\n', '1_0'],
      ...['-9223372036854775809', '9'.repeat(400), '\u00a01', '٣', '1\u0000', '-0', '+-1'],
    ],
  },
  parse_float64: {
    0: [
      ...['1', ' 1.5 ', '-5e3', '+5', '', ' ', 'abc', '1.', '.5', '.', '1e', '1e400', '1e-400'],
      ...['-0', 'nan', 'inf', '-Infinity', '0x10', '007', '1e+3', '1E3', '1e3.5', '\t1\n', '1 2'],
      ...['1.5f', '123456789012345678', '1e308', '2e-324', '0e-999', '0.0', '1_0', '+.e1', 'e1'],
    ],
  },
  parse_bool: {
    0: [
      ...['t', 'TRUE', ' tRuE ', 'tr', 'y', 'ye', 'yes', 'on', 'o', 'of', 'off', 'f', 'fal', '1'],
      ...['false', 'n', 'no', '0', '10', '', ' ', 'truee', 'ON', '01', 'yess', '\ttrue\n', 'ſ'],
    ],
  },
  round: { 1: [0, 1, 2, -1, -2, 15, 16, 20, 300, 310, 323, 324, 330, -300, -308, -309, 5000] },
  trunc: { 1: [0, 1, 2, -1, -2, 15, 16, 20, 300, 310, 323, 324, 330, -300, -308, -309, 5000] },
  chr: { 0: [0, 1, 65, -1, 0xe9, 0x1f600, 0xd800, 0xdfff, 0x10ffff, 0x110000, 9007199254740993n] },
  lpad: { 1: [0, 1, 2, 3, 5, 9, -1, -9223372036854775808n, 2 ** 24 + 1] },
  rpad: { 1: [0, 1, 2, 3, 5, 9, -1, -9223372036854775808n, 2 ** 24 + 1] },
  repeat: { 1: [0, 1, 2, 5, -1, 2 ** 24 + 1, 9223372036854775807n] },
};

export function argumentsFor(name: FunctionName, at: number, type: ScalarType): readonly Scalar[] {
  const pool = special[name]?.[at];
  return pool ?? common[type];
}
