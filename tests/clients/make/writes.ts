/** Statements, programs and guards. */

import {
  all,
  and,
  col,
  comments,
  eq,
  type Made,
  orderBy,
  posts,
  program,
  rel,
  select,
  table,
  users,
  uuid,
  values,
  where,
} from './trees.ts';

const post = { id: 10, author_id: 1, title: 'new', at: 5 };
const hit = { name: 'hits', n: 1 };
const more = { name: 'more', n: 2 };
const added = [['n', ['add', col('n'), col('n', 1)]]];
const raise = [['score', ['add', col('score'), 5]]];

export const writes: readonly Made[] = [
  ['insert', ['insert', 'posts', post]],
  ['insert with a default given', ['insert', 'posts', { ...post, score: 9, live: false }]],
  ['insert with null', ['insert', 'posts', { ...post, body: null, rating: null }]],
  ['insert of a key that is there', ['insert', 'users', { id: 1, handle: 'x' }]],
  ['insert of a unique value that is there', ['insert', 'users', { id: 9, handle: 'ada' }]],
  ['insert of a row without its parent', ['insert', 'posts', { ...post, author_id: 99 }]],
  ['insert without a column', ['insert', 'posts', { id: 10 }]],
  ['insert of an unknown column', ['insert', 'posts', { ...post, nope: 1 }]],
  ['insert of null where none may be', ['insert', 'posts', { ...post, title: null }]],
  ['insert of another type', ['insert', 'posts', { ...post, title: 1 }]],
  [
    'insert by names that are hard',
    ['insert', 'class', { import: 9, ['__proto__']: 'p', constructor: 'c', 'naïve ☃ 😀': '☃' }],
  ],
  [
    'insert with identifiers',
    ['insert', 'comments', { id: uuid(9), post_id: 1, parent_id: uuid(1), body: '' }],
  ],
  [
    'insertMany',
    [
      'insertMany',
      'users',
      [
        { id: 8, handle: 'h' },
        { id: 7, handle: 'g', bio: 'b' },
      ],
    ],
  ],
  [
    'insertMany of two sets of columns',
    ['insertMany', 'posts', [post, { ...post, id: 12, score: 3 }, { ...post, id: 11 }]],
  ],
  ['insertMany of none', ['insertMany', 'users', []]],
  ['insertMany of one', ['insertMany', 'users', [{ id: 8, handle: 'h' }]]],
  [
    'insertMany, all or none',
    [
      'insertMany',
      'users',
      [
        { id: 8, handle: 'h' },
        { id: 9, handle: 'ada' },
      ],
    ],
  ],
  [
    'insertFrom',
    [
      'insertFrom',
      'counters',
      users,
      [
        ['name', col('handle')],
        ['n', ['add', col('id'), 100]],
      ],
    ],
  ],
  [
    'insertFrom of groups',
    [
      'insertFrom',
      'counters',
      [
        'group',
        posts,
        [['a', col('author_id')]],
        [
          ['n', ['count']],
          ['t', ['max', col('title')]],
        ],
      ],
      [
        ['name', ['orElse', col('t'), '-']],
        ['n', col('a')],
      ],
    ],
  ],
  [
    'insertFrom with a literal',
    [
      'insertFrom',
      'users',
      where(users, eq(col('id'), 1)),
      [
        ['id', 50],
        ['handle', 'copy'],
        ['bio', col('bio')],
      ],
    ],
  ],
  ['insertFrom of an unknown column', ['insertFrom', 'counters', users, [['nope', col('id')]]]],
  ['update', ['update', 'posts', { id: 1 }, raise]],
  [
    'update of two columns',
    [
      'update',
      'posts',
      { id: 1 },
      [
        ['title', 'x'],
        ['body', null],
      ],
    ],
  ],
  ['update with null', ['update', 'users', { id: 2 }, [['bio', null]]]],
  ['update of a row that is not there', ['update', 'posts', { id: 99 }, raise]],
  ['update of nothing', ['update', 'posts', { id: 1 }, []]],
  ['update of an unknown column', ['update', 'posts', { id: 1 }, [['nope', 1]]]],
  ['update by two columns', ['update', '表', { b: 'x', a: 1 }, [['n', 7]]]],
  ['update by a unique index', ['update', 'users', { handle: 'ada' }, [['bio', 'by handle']]]],
  ['update by no key', ['update', 'users', { bio: 'b' }, [['bio', 'x']]]],
  [
    'update with a crossing',
    [
      'update',
      'users',
      { id: 1 },
      [['bio', ['value', orderBy(rel('posts'), col('id')), col('title')]]],
    ],
  ],
  ['update into a row without its parent', ['update', 'posts', { id: 1 }, [['author_id', 99]]]],
  ['updateWhere', ['updateWhere', 'posts', ['gt', col('score'), 4], raise]],
  ['updateWhere of none', ['updateWhere', 'posts', eq(col('id'), 99), raise]],
  [
    'updateWhere by a relation',
    ['updateWhere', 'posts', ['exists', rel('comments')], [['live', false]]],
  ],
  [
    'updateWhere with a branch',
    [
      'updateWhere',
      'posts',
      eq(col('live'), true),
      [['title', ['when', [[['gt', col('score'), 0], 'high']], col('title')]]],
    ],
  ],
  [
    'updateFrom',
    [
      'updateFrom',
      'posts',
      ['join', posts, users, eq(col('id', 1), col('author_id'))],
      [
        ['id', col('id')],
        ['title', col('handle', 1)],
      ],
    ],
  ],
  ['updateFrom without the key', ['updateFrom', 'posts', posts, [['title', 'x']]]],
  ['delete', ['delete', 'comments', { id: uuid(4) }]],
  ['delete of a row that is not there', ['delete', 'comments', { id: uuid(99) }]],
  ['delete of a row that others need', ['delete', 'users', { id: 1 }]],
  ['delete by two columns', ['delete', '表', { a: 1, b: 'x' }]],
  ['deleteWhere', ['deleteWhere', 'comments', ['isNull', col('author_id')]]],
  [
    'deleteWhere by a relation',
    [
      'deleteWhere',
      'users',
      and(['not', ['exists', rel('posts')]], ['not', ['exists', rel('comments')]]),
    ],
  ],
  ['deleteWhere of all', ['deleteWhere', 'post_tags', eq(col('post_id'), col('post_id'))]],
];

export const upserts: readonly Made[] = [
  ['upsert of a row that is there', ['upsert', 'counters', [hit]]],
  ['upsert of a row that is not', ['upsert', 'counters', [more]]],
  ['upsert of both', ['upsert', 'counters', [hit, more]]],
  ['upsert that adds', ['upsert', 'counters', [hit, more], null, added]],
  ['upsert of named columns', ['upsert', 'posts', [{ ...post, id: 1 }, post], null, ['title']]],
  ['upsert of all given columns', ['upsert', 'posts', [{ ...post, id: 1, score: 1 }]]],
  [
    'upsert on a unique index',
    ['upsert', 'users', [{ id: 9, handle: 'ada', bio: 'new' }], ['handle']],
  ],
  ['upsert that leaves out what can be NULL', ['upsert', 'users', [{ id: 1, handle: 'ADA' }]]],
  [
    'upsert of NULL',
    [
      'upsert',
      'users',
      [
        { id: 1, handle: 'ADA', bio: null },
        { id: 9, handle: 'new', bio: 'x' },
      ],
    ],
  ],
  [
    'upsert of a column that some rows give',
    [
      'upsert',
      'users',
      [
        { id: 1, handle: 'ADA', bio: 'x' },
        { id: 2, handle: 'b' },
      ],
    ],
  ],
  [
    'upsert that says what to set of a column that some rows give',
    [
      'upsert',
      'users',
      [
        { id: 1, handle: 'ADA', bio: 'x' },
        { id: 2, handle: 'b' },
      ],
      null,
      ['handle'],
    ],
  ],
  ['upsert of two rows of one key', ['upsert', 'counters', [hit, hit]]],
  ['upsert of no rows', ['upsert', 'counters', []]],
  ['upsert on columns that are not given', ['upsert', 'users', [{ handle: 'x' }], ['id']]],
  [
    'upsert of the key alone',
    ['upsert', 'post_tags', [{ post_id: 1, tag_id: '01ARYZ6S41TSV4RRFFQ69G5F01' }]],
  ],
  ['insertIgnore', ['insertIgnore', 'counters', [hit, more]]],
  ['insertIgnore of one that is there', ['insertIgnore', 'counters', [hit]]],
  [
    'insertIgnore of the key alone',
    [
      'insertIgnore',
      'post_tags',
      [
        { post_id: 1, tag_id: '01ARYZ6S41TSV4RRFFQ69G5F01' },
        { post_id: 2, tag_id: '01ARYZ6S41TSV4RRFFQ69G5F01' },
      ],
    ],
  ],
  [
    'insertIgnore on a unique index',
    [
      'insertIgnore',
      'users',
      [
        { id: 9, handle: 'ada' },
        { id: 10, handle: 'new' },
      ],
      ['handle'],
    ],
  ],
  ['upsert of names that are hard', ['upsert', 'class', [{ import: 1, ['__proto__']: 'p' }]]],
];

const take = [
  'do',
  'from',
  [
    'updateWhere',
    'counters',
    and(eq(col('name'), 'hits'), ['gte', col('n'), 6]),
    [['n', ['sub', col('n'), 6]]],
  ],
] as const;
const give = [
  'do',
  'to',
  ['updateWhere', 'counters', eq(col('name'), ''), [['n', ['add', col('n'), 6]]]],
] as const;
const guarded = (name: string, held: unknown) =>
  program([take, give, ['ensure', name, held]], ['use', 'from']);
export const programs: readonly Made[] = [
  ['rows of a query, returned', program([['query', 'q', posts]], ['rowsOf', 'q'])],
  [
    'rows of a query among several',
    program(
      [['query', 'q', where(posts, ['gt', col('score'), 4])]],
      all({
        a: ['use', 'q'],
        b: ['rowsOf', 'q'],
        n: ['count', ['rowsOf', 'q']],
        one: ['first', ['rowsOf', 'q']],
      }),
    ),
  ],
  [
    'rows of some columns of a query',
    program([['query', 'q', select(posts, { id: col('id') })]], ['rowsOf', 'q']),
  ],
  ['rows of a query, distinct', program([['query', 'q', users]], ['distinct', ['rowsOf', 'q']])],
  [
    'rows of a query, united',
    program([['query', 'q', users]], ['union', ['rowsOf', 'q'], ['rowsOf', 'q']]),
  ],
  [
    'a transfer',
    program(
      [take, give],
      [
        'all',
        [
          ['from', ['use', 'from']],
          ['to', ['use', 'to']],
        ],
      ],
    ),
  ],
  ['a transfer, one row', program([take, give], ['one', ['rowsOf', 'from']])],
  ['a guard on rows', guarded('funds', ['rowsOf', 'from'])],
  ['a guard on a query', guarded('rows', where(table('counters'), ['gt', col('n'), 5]))],
  ['a guard that fails', guarded('too-much', where(table('counters'), ['gt', col('n'), 1000]))],
  ['a guard on a test', guarded('test', ['exists', ['rowsOf', 'to']])],
  ['a guard on a test that fails', guarded('none', ['not', ['exists', ['rowsOf', 'to']]])],
  [
    'a guard on a test that is unknown',
    program([['ensure', 'unknown', ['lit', 'bool', null]]], users),
  ],
  ['a guard alone', program([['ensure', 'there', users]], null)],
  ['a guard of a long name', program([['ensure', 'n'.repeat(57), users]], null)],
  ['a guard of too long a name', program([['ensure', 'n'.repeat(58), users]], null)],
  ['nothing returned', program([take], null)],
  ['no statements', program([], null)],
  [
    'a query that later ones read',
    program(
      [
        ['query', 'high', where(posts, ['gt', col('score'), 4])],
        [
          'do',
          'set',
          [
            'updateFrom',
            'posts',
            ['rowsOf', 'high'],
            [
              ['id', col('id')],
              ['live', false],
            ],
          ],
        ],
      ],
      ['use', 'set'],
    ),
  ],
  [
    'a query that is returned',
    program([['query', 'all', select(posts, { id: col('id') })]], ['use', 'all']),
  ],
  [
    'two queries, both returned',
    program(
      [
        ['query', 'a', users],
        ['query', 'b', posts],
      ],
      null,
    ),
  ],
  [
    'children of rows just made',
    program(
      [
        ['do', 'c', ['insertMany', 'comments', [{ id: uuid(20), post_id: 1, body: 'p' }]]],
        [
          'do',
          'r',
          [
            'insertFrom',
            'users',
            ['rowsOf', 'c'],
            [
              ['id', ['add', col('post_id'), 60]],
              ['handle', col('body')],
            ],
          ],
        ],
      ],
      ['use', 'r'],
    ),
  ],
  [
    'rows read by two',
    program(
      [['do', 'w', ['updateWhere', 'posts', ['gt', col('score'), 4], raise]]],
      all({
        n: ['count', ['rowsOf', 'w']],
        top: ['first', orderBy(['rowsOf', 'w'], ['desc', col('score')], col('id'))],
      }),
    ),
  ],
  [
    'relations of rows just written',
    program(
      [['do', 'w', ['update', 'posts', { id: 1 }, raise]]],
      select(['rowsOf', 'w'], {
        t: col('title'),
        by: rel('author'),
        n: ['count', rel('comments')],
      }),
    ),
  ],
  [
    'a row that was deleted',
    program(
      [['do', 'd', ['delete', 'comments', { id: uuid(4) }]]],
      all({ gone: ['use', 'd'], left: ['count', comments] }),
    ),
  ],
  [
    'an insert, and what is there then',
    program(
      [['do', 'i', ['insert', 'users', { id: 30, handle: 'z' }]]],
      all({ made: ['use', 'i'], n: ['count', users] }),
    ),
  ],
  [
    'an upsert in a program',
    program([['do', 'u', ['upsert', 'counters', [hit, more], null, added]]], ['use', 'u']),
  ],
  [
    'the rows of an upsert',
    program(
      [['do', 'u', ['upsert', 'counters', [hit, more], null, added]]],
      ['count', ['rowsOf', 'u']],
    ),
  ],
  [
    'insertMany of two sets in a program',
    program(
      [['do', 'm', ['insertMany', 'posts', [post, { ...post, id: 12, score: 3 }]]]],
      ['count', ['rowsOf', 'm']],
    ),
  ],
  [
    'named statements',
    program(
      [
        ['query', 'a', ['named', users, 'people']],
        [
          'do',
          'd',
          [
            'updateFrom',
            'users',
            ['named', ['rowsOf', 'a'], 'renamed'],
            [
              ['id', col('id')],
              ['bio', 'x'],
            ],
          ],
        ],
      ],
      ['use', 'd'],
    ),
  ],
  [
    'two of one name',
    program(
      [
        ['query', 'a', ['named', users, 'x']],
        ['query', 'b', ['named', posts, 'x']],
      ],
      null,
    ),
  ],
  [
    'two of one guard',
    program(
      [
        ['ensure', 'x', users],
        ['ensure', 'x', posts],
      ],
      null,
    ),
  ],
  [
    'rows of a statement without its program',
    ['let', 'w', ['deleteWhere', 'values', eq(col('id'), 1)], ['rowsOf', 'w']],
  ],
  [
    'values written and read',
    program(
      [
        [
          'do',
          'v',
          [
            'updateWhere',
            'values',
            eq(col('id'), 2),
            [
              ['i', { $int64: '-9223372036854775808' }],
              ['f', { $float: '-0' }],
              ['x', { $bytes: '//8=' }],
              ['u', uuid(5)],
              ['b', false],
              ['s', '\u0000"\\\n😀'],
            ],
          ],
        ],
      ],
      all({ v: ['use', 'v'], n: ['count', values] }),
    ),
  ],
];
