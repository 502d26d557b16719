/** Each expression, on values that are there, NULL, and at the ends of their types. */

import type { Tree } from '../interpret.ts';
import {
  and,
  col,
  comments,
  eq,
  fold,
  limit,
  lit,
  type Made,
  orderBy,
  posts,
  rel,
  select,
  table,
  ulid,
  users,
  uuid,
  values,
  where,
  xid,
} from './trees.ts';

/** An expression of each row of `values`. */
const each = (e: unknown) => select(values, { id: col('id'), e });
const ids = (test: unknown) => select(where(values, test), { id: col('id') });
const big = { $int64: '9007199254740993' };

/** Columns of `values`, and a value of each. */
const samples: readonly (readonly [column: string, value: unknown])[] = [
  ['i', 1],
  ['f', 1.5],
  ['b', true],
  ['s', 'a'],
  ['x', { $bytes: 'AAH/' }],
  ['u', uuid(255)],
  ['l', '01ARYZ6S41TSV4RRFFQ69G5FAV'],
  ['d', '9m4e2mr0ui3e8a215n4g'],
];
const comparisons = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'same'] as const;

export const comparing: readonly Made[] = samples.flatMap(([column, value]): readonly Made[] => [
  ...comparisons.map((op): Made => [`${op} of ${column}`, ids([op, col(column), value])]),
  [`${column} eq itself`, ids(eq(col(column), col(column)))],
  [`${column} same as itself`, ids(['same', col(column), col(column)])],
  [`${column} same as null`, ids(['same', col(column), null])],
  [`${column} eq null`, ids(eq(col(column), null))],
  [`${column} is null`, ids(['isNull', col(column)])],
  [`${column} is not null`, ids(['isNotNull', col(column)])],
  [`${column} between`, ids(['between', col(column), value, value])],
  [`${column} or else`, each(['orElse', col(column), value])],
  [`${column} in one`, ids(['in', col(column), [value]])],
  [`order by ${column}`, orderBy(values, col(column), col('id'))],
  [`order by ${column} descending`, orderBy(values, ['desc', col(column)], col('id'))],
  [`${column} where in`, select(['whereIn', values, col(column), [value]], { id: col('id') })],
]);

const test = ['gt', col('i'), 0] as const;
const post = (e: unknown) => select(posts, { id: col('id'), e });
export const calculating: readonly Made[] = [
  ...(['add', 'sub', 'mul', 'div'] as const).flatMap((op): readonly Made[] => [
    [`${op} of an integer`, post([op, col('id'), 3])],
    [`${op} of a float`, post([op, col('rating'), 2])],
    [`${op} of columns`, post([op, col('id'), col('author_id')])],
    [`${op} of NULL`, each([op, ['int', col('f')], lit('int64', null)])],
  ]),
  ['division by zero', post(['div', col('id'), 0])],
  ['integer overflow', each(['add', col('i'), 1])],
  ['negation overflow', each(['neg', col('i')])],
  ['float overflow', each(['mul', col('f'), 1e300])],
  ['negation', post(['neg', col('id')])],
  ['negation of a float', each(['neg', col('f')])],
  ['float of an integer', post(['float', col('id')])],
  ['int of a float', post(['int', col('rating')])],
  ['int of a large float', post(['int', ['float', col('score')]])],
  ['precedence', post(['mul', ['add', col('id'), 1], ['sub', col('author_id'), 1]])],
  ['beyond 2^53', select(where(posts, eq(col('score'), big)), { s: col('score') })],
  ['and', ids(and(test, ['isNotNull', col('f')]))],
  ['or', ids(['or', test, ['isNull', col('f')]])],
  ['not', ids(['not', test])],
  ['a column of truth', ids(col('b'))],
  ['not a column of truth', ids(['not', col('b')])],
  ['three values of logic', each(['or', col('b'), ['isNull', col('s')]])],
  ['true', ids(lit('bool', true))],
  ['false', ids(lit('bool', false))],
  ['unknown', ids(lit('bool', null))],
  ['a number as a test', ids(col('i'))],
  ['when', each(['when', [[test, 'high']], 'low'])],
  [
    'when of two',
    each([
      'when',
      [
        [test, 'high'],
        [['isNull', col('i')], 'none'],
      ],
      'low',
    ]),
  ],
  ['when with columns', each(['when', [[test, col('s')]], col('s')])],
  ['when with null', each(['when', [[test, col('i')]], null])],
  ['when as a term', orderBy(values, ['when', [[['isNull', col('i')], 1]], 0], col('id'))],
  ['when in when', each(['when', [[test, ['when', [[col('b'), 1]], 2]]], 3])],
  ['when of identifiers and text', each(['when', [[test, col('u')]], uuid(7)])],
  ['or else of two', each(['orElse', ['orElse', col('s'), col('s')], 'z'])],
  ['or else a column', each(['orElse', col('i'), col('id')])],
  ['a value of another type', ids(eq(col('i'), 'a'))],
  ['a float beside an integer', ids(eq(col('i'), 1.5))],
  ['a column of another type', ids(eq(col('i'), col('f')))],
  ['an integer beyond int64', ids(eq(col('i'), { $int64: '9223372036854775808' }))],
  ['not a number', ids(eq(col('f'), { $float: 'NaN' }))],
  ['infinite', ids(eq(col('f'), { $float: 'Infinity' }))],
  ['no uuid', ids(eq(col('u'), 'x'))],
  ['no ulid', ids(eq(col('l'), '8'.repeat(26)))],
  ['no xid', ids(eq(col('d'), 'z'.repeat(20)))],
  ['count as a value', select(users, { n: ['add', ['count', rel('posts')], 1] })],
  ['exists as a value', select(users, { e: ['exists', rel('posts')] })],
  [
    'a value, or else',
    select(users, { e: ['orElse', ['value', rel('posts'), col('title')], '-'] }),
  ],
  ['a fold outside', select(users, { n: ['sum', col('id')] })],
  [
    'a literal of each type',
    select(limit(users, 1), {
      i: lit('int64', 1),
      f: lit('float64', 1),
      b: lit('bool', true),
      s: lit('text', 's'),
      x: lit('bytes', { $bytes: 'AA==' }),
    }),
  ],
  [
    'NULL of each type',
    select(limit(users, 1), {
      i: lit('int64', null),
      f: lit('float64', null),
      b: lit('bool', null),
      s: lit('text', null),
      x: lit('bytes', null),
    }),
  ],
  ['sum overflow', fold(posts, { s: ['sum', ['mul', col('score'), 1000]] })],
];

const texts = ['', 'o', 'O', 'one', '*', '%', '_', 'five*%_', 'ö', '😀', 'Ö', '"', '\\', '\n'];
export const matching: readonly Made[] = [
  ...(['startsWith', 'endsWith', 'contains', 'match'] as const).flatMap((op): readonly Made[] => [
    ...texts.map(
      (text): Made => [
        `${op} ${JSON.stringify(text)}`,
        select(
          where(text.charCodeAt(0) > 126 || '"\\\n'.includes(text) ? users : posts, [
            op,
            col(text.charCodeAt(0) > 126 || '"\\\n'.includes(text) ? 'handle' : 'title'),
            text,
          ]),
          { id: col('id') },
        ),
      ],
    ),
    [`${op} without case`, select(where(posts, [op, col('title'), 'FO', true]), { id: col('id') })],
    [`${op} of NULL`, select(where(posts, [op, col('body'), 't']), { id: col('id') })],
  ]),
  ['match in the middle', select(where(posts, ['match', col('title'), 't*e']), { id: col('id') })],
  ['match of two', select(where(posts, ['match', col('title'), '*i**']), { id: col('id') })],
  [
    'match without case, not',
    select(where(posts, ['not', ['match', col('title'), 'f*', true]]), { id: col('id') }),
  ],
];

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const named = (n: number) => upTo(n).map((i) => (i % 5 === 0 ? 'ada' : `u${i}`));
/** Lists of 0 to 17 values, and a long one. */
export const lists: readonly Made[] = [0, ...upTo(17), 33].flatMap((n): readonly Made[] => [
  [`in of ${n}`, select(where(posts, ['in', col('id'), upTo(n)]), { id: col('id') })],
  [`whereIn of ${n}`, select(['whereIn', users, col('handle'), named(n)], { id: col('id') })],
  [`getMany of ${n}`, ['getMany', 'users', upTo(n).map((id) => ({ id }))]],
]);

export const moreLists: readonly Made[] = [
  ['in of NULL', select(where(comments, ['in', col('author_id'), [1, 2]]), { id: col('id') })],
  [
    'not in of NULL',
    select(where(comments, ['not', ['in', col('author_id'), [1, 2]]]), { id: col('id') }),
  ],
  [
    'in of many of NULL',
    select(where(comments, ['not', ['in', col('author_id'), upTo(20)]]), { id: col('id') }),
  ],
  [
    'in of identifiers',
    select(where(comments, ['in', col('id'), [uuid(1), uuid(3)]]), { b: col('body') }),
  ],
  [
    'getMany by two columns',
    [
      'getMany',
      '表',
      [
        { a: 1, b: 'x' },
        { a: 3, b: 'y' },
        { b: 'z', a: 2 },
      ],
    ],
  ],
  ['getMany by uuid', ['getMany', 'comments', [{ id: uuid(3) }, { id: uuid(9) }]]],
  ['getMany by ulid', ['getMany', 'tags', [{ id: ulid(1) }, { id: ulid(2) }]]],
  [
    'whereIn of a relation',
    select(users, {
      p: select(['whereIn', rel('posts'), col('score'), [5, 7]], { id: col('id') }),
    }),
  ],
  [
    'whereIn, filter, limit',
    limit(where(['whereIn', posts, col('id'), [1, 2, 3]], ['gt', col('id'), 1]), 1),
  ],
  [
    'whereIn of an expression',
    select(['whereIn', posts, ['add', col('id'), 1], [2, 3]], { id: col('id') }),
  ],
  [
    'whereIn of duplicates',
    select(['whereIn', posts, col('author_id'), [1, 1, 1]], { id: col('id') }),
  ],
  ['xid in', ids(['in', col('d'), [xid(1), '9m4e2mr0ui3e8a215n4g']])],
];

const klass = table('class');
const hard = ['__proto__', 'constructor', 'naïve ☃ 😀', 'quote"d\\name'] as const;
export const names: readonly Made[] = [
  ['a table called class', klass],
  ['by its key', ['get', 'class', { import: 1 }]],
  ...hard.flatMap((name): readonly Made[] => [
    [`select ${name}`, select(klass, { [name]: col(name) })],
    [`order by ${name}`, orderBy(klass, col(name), col('import'))],
    [`group by ${name}`, ['group', klass, [[name, col(name)]], [['n', ['count']]]]],
    [`${name} is null`, where(klass, ['isNull', col(name)])],
  ]),
  [
    'members of objects',
    [
      'select',
      users,
      [
        ['__proto__', col('id')],
        ['toString', col('handle')],
        [' ', col('bio')],
        ['表 😀"\\', col('id')],
      ],
    ],
  ],
  [
    'nested by such names',
    [
      'select',
      klass,
      [
        ['__proto__', rel('self')],
        ['constructor', rel('class_by_self')],
      ],
    ],
  ],
  [
    'several results by such names',
    [
      'all',
      [
        ['__proto__', users],
        ['then', ['count', users]],
      ],
    ],
  ],
  ['a table in another script', orderBy(table('表'), ['desc', col('x')], col('a'), col('b'))],
  ['a name of 64', ['named', users, 'n'.repeat(64)]],
  ['a name of 65', ['named', users, 'n'.repeat(65)]],
  ['a name of a guard', ['named', users, 'ensure_x']],
  ['a name with a blank', ['named', users, 'a b']],
  ['an empty name', ['named', users, '']],
];

const shared: Tree = ['shared', select(posts, { id: col('id'), author_id: col('author_id') })];
export const bindings: readonly Made[] = [
  [
    'a step that filters',
    ['recursive', users, where(['use', 'self'], ['gt', col('id'), 2]), 'new'],
  ],
  [
    'a step that filters some columns',
    [
      'recursive',
      select(users, { id: col('id') }),
      where(['use', 'self'], ['gt', col('id'), 2]),
      'new',
    ],
  ],
  [
    'shared within a crossing',
    [
      'let',
      's',
      shared,
      select(users, {
        h: col('handle'),
        p: where(['use', 's'], eq(col('author_id'), col('id', 0, 1))),
      }),
    ],
  ],
  [
    'shared within and without',
    [
      'let',
      's',
      shared,
      select(['join', users, ['use', 's'], eq(col('author_id', 1), col('id'))], {
        h: col('handle'),
        n: ['count', ['use', 's']],
      }),
    ],
  ],
  [
    'shared in two crossings',
    [
      'let',
      's',
      shared,
      select(users, {
        a: ['count', ['use', 's']],
        b: ['exists', where(['use', 's'], eq(col('author_id'), col('id', 0, 1)))],
      }),
    ],
  ],
  [
    'shared of shared',
    [
      'let',
      's',
      shared,
      [
        'let',
        'r',
        ['shared', where(['use', 's'], ['gt', col('id'), 2])],
        ['union', ['use', 'r'], ['use', 's']],
      ],
    ],
  ],
  [
    'shared recursion',
    [
      'let',
      's',
      [
        'shared',
        [
          'recursive',
          select(where(comments, ['isNull', col('parent_id')]), { id: col('id') }),
          select(['join', comments, ['use', 'self'], eq(col('parent_id'), col('id', 1))], {
            id: col('id'),
          }),
          'new',
        ],
      ],
      ['union', ['use', 's'], ['use', 's']],
    ],
  ],
];
