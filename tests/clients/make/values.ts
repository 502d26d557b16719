/** Values there and back: as literal, as cell, as stored value; at each depth. */

import type { Tree } from '../interpret.ts';
import {
  col,
  eq,
  limit,
  lit,
  type Made,
  rel,
  select,
  table,
  users,
  values,
  where,
} from './trees.ts';

const integers = [
  '0',
  '1',
  '-1',
  '999999999999999',
  '1000000000000000',
  '-1000000000000000',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740991',
  '-9007199254740992',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '1152921504606846976',
  '4611686018427387905',
];
const floats: readonly unknown[] = [
  0,
  { $float: '-0' },
  1,
  -1,
  0.1,
  1e21,
  1e-7,
  123456789012345680000,
  1e308,
  -1e308,
  1.7976931348623157e308,
  5e-324,
  2.2250738585072014e-308,
  9007199254740992,
  9007199254740994,
  1e16,
  0.30000000000000004,
  4.35,
  1e22,
];
const texts = [
  '',
  ' ',
  '"',
  '\\',
  '\n',
  '\r\t\b\f',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u0080',
  '\u2028\u2029',
  'é',
  'e\u0301',
  'ß',
  '表',
  '😀',
  '👩‍👩‍👧',
  '\ufeff',
  '\uffff',
  '{"$int64":"1"}',
  '1234567890123456',
  '"1234567890123456"',
  '</script>',
  '& < >',
  "'",
  '/',
  'null',
  'a'.repeat(300),
  '\\u0041',
  '\\"',
  ' 9007199254740993 ',
];
const bytes = [
  '',
  'AA==',
  '/w==',
  'AAH/',
  'AAECAwQFBgcICQoLDA0ODw==',
  'AAECAwQFBgcICQoL',
  '+/+/',
  'AAECAwQFBgcICQoLDA0ODxAREhM=',
];
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '01234567-89ab-cdef-0123-456789abcdef',
  '0190a5a0-7000-7000-8000-000000000001',
];
const ulids = [
  '00000000000000000000000000',
  '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '01ARYZ6S41TSV4RRFFQ69G5FAV',
];
const xids = ['00000000000000000000', 'vvvvvvvvvvvvvvvvvvvg', '9m4e2mr0ui3e8a215n4g'];

const groups: readonly (readonly [column: string, type: string, all: readonly unknown[]])[] = [
  ['i', 'int64', integers.map((text) => ({ $int64: text }))],
  ['f', 'float64', floats],
  ['b', 'bool', [true, false]],
  ['s', 'text', texts],
  ['x', 'bytes', bytes.map(($bytes) => ({ $bytes }))],
];
const shown = (value: unknown) => JSON.stringify(value).slice(0, 60);

/** Stored, compared, and read. */
const stored = (column: string, value: unknown): Tree => [
  'program',
  [['do', 'w', ['insert', 'values', { id: 50, [column]: value }]]],
  [
    'all',
    [
      ['made', ['use', 'w']],
      ['found', select(where(values, eq(col(column), value)), { id: col('id'), v: col(column) })],
    ],
  ],
];

export const literals: readonly Made[] = groups.flatMap(([, type, all]) =>
  all.map(
    (value): Made => [
      `literal ${type} ${shown(value)}`,
      select(limit(users, 1), { v: lit(type, value) }),
    ],
  ),
);
export const cells: readonly Made[] = groups.flatMap(([, type, all]) => [
  [
    `cells ${type}`,
    [
      'rows',
      [
        ['n', 'int64'],
        ['v', type],
      ],
      [...all.map((v, n) => ({ n, v })), { n: 99, v: null }],
    ],
  ] as Made,
]);
export const storedValues: readonly Made[] = [
  ...groups,
  ['u', 'uuid', uuids] as const,
  ['l', 'ulid', ulids] as const,
  ['d', 'xid', xids] as const,
].flatMap(([column, type, all]) =>
  all.map((value): Made => [`stored ${type} ${shown(value)}`, stored(column, value)]),
);

const large = lit('int64', { $int64: '9007199254740993' });
const small = lit('int64', { $int64: '-9223372036854775808' });
const deep = (depth: number): Tree =>
  select(
    limit(users, 1),
    depth === 0
      ? { large, small, f: lit('float64', { $float: '-0' }), x: lit('bytes', { $bytes: 'AA==' }) }
      : { large, in: deep(depth - 1), first: ['first', deep(depth - 1)] },
  );
const mixed = [
  'when',
  [[['isNotNull', col('u')], col('u')]],
  '0190a5a0-7000-7000-8000-000000000001',
];
const depths: readonly Made[] = [0, 1, 2, 3, 4].map((n) => [`integers at depth ${n}`, deep(n)]);
export const depthsAndMixes: readonly Made[] = [
  ...depths,
  [
    'text like an integer beside one',
    select(limit(users, 1), {
      s: lit('text', '9007199254740993'),
      i: large,
      t: lit('text', 'a"9007199254740993\\'),
    }),
  ],
  [
    'a float of 16 digits beside one',
    select(limit(users, 1), {
      f: lit('float64', 1234567890.1234567),
      g: lit('float64', 1e21),
      i: large,
    }),
  ],
  ['identifiers and literals mixed', select(values, { id: col('id'), u: mixed })],
  [
    'identifiers of a union',
    ['union', select(values, { u: col('u') }), select(table('comments'), { u: col('id') })],
  ],
  [
    'identifiers within',
    select(table('posts'), {
      c: select(rel('comments'), { id: col('id'), parent: col('parent_id') }),
    }),
  ],
  [
    'smallest and largest identifiers',
    [
      'fold',
      table('comments'),
      [
        ['lo', ['min', col('id')]],
        ['hi', ['max', col('id')]],
      ],
    ],
  ],
  ['smallest ulid', ['fold', table('tags'), [['lo', ['min', col('id')]]]]],
];
