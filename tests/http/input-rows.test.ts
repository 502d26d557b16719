/** Which row of the input of a mutation a problem is about: its place in the document, and its number in words. */

import { afterAll, describe, expect, test } from 'bun:test';
import type { ForeignKeyAction } from '#catalog';
import { createTable, openWorkshop } from '../transitions/support.ts';

const reference = (column: string, table: string, onDelete: ForeignKeyAction) => ({
  name: `${column}_fk`,
  columns: [column],
  ref_table: table,
  ref_columns: ['id'],
  on_delete: onDelete,
});

/** A book takes no NULL for `pages` any more, though its column is nullable yet; the values of shelves are being replaced by integers. */
const definitions = [
  createTable('author', ['id int64']),
  createTable('book', ['id int64', 'isbn text?', 'author_id int64?', 'pages int64?'], {
    indexes: [
      { name: 'isbn', columns: ['isbn'], unique: true },
      { name: 'author', columns: ['author_id'] },
    ],
    foreign_keys: [reference('author_id', 'author', 'restrict')],
  }),
  createTable('shelf', ['id int64', 'v text?']),
  createTable('review', ['id int64', 'book_id int64'], {
    foreign_keys: [reference('book_id', 'book', 'no_action')],
  }),
];

type Cells = readonly (string | null)[];
type Kind = 'create' | 'update' | 'delete';

const types: Readonly<Record<string, string>> = { isbn: 'text', v: 'text' };

function relationOf(columns: string, rows: readonly Cells[]) {
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: columns.split(' ').map((name) => ({
      name,
      type: types[name] ?? 'int64',
      nullable: !['id', 'book_id'].includes(name),
    })),
    rows,
  };
  // A step of a pointer, with the characters that are escaped there.
  return { nodes: { 'a/b~c': node }, root: { node: 'a/b~c', cardinality: 'many' } };
}

const db = await openWorkshop();
afterAll(() => db[Symbol.asyncDispose]());
await db.run(...definitions);

async function write(kind: Kind, table: string, columns: string, rows: readonly Cells[]) {
  const statement = { kind, name: 'written', table, relation: relationOf(columns, rows) };
  // Not the first one, so that its number is seen.
  const first = { ...statement, name: 'first', kind: 'delete', relation: relationOf('id', []) };
  const program = { statements: [first, statement], result: 'written' };
  const { status, json } = await db.send('POST', '/execute', program);
  return { status, problem: json as Record<string, unknown> };
}

const ids = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => [String(from + i)] as const);
expect((await write('create', 'author', 'id', ids(1, 9))).status).toBe(200);
const books = [
  ['1', 'a', '1', '1'],
  ['2', 'b', '2', '1'],
  ['3', null, null, '1'],
];
const bookColumns = 'id isbn author_id pages';
expect((await write('create', 'book', bookColumns, books)).status).toBe(200);
expect((await write('create', 'review', 'id book_id', [['1', '2']])).status).toBe(200);

await db.start({
  kind: 'start_constraint_validation',
  table_id: 2,
  constraint: { name: 'pages_set', kind: 'not_null', column_id: 4 },
});

await db.start({
  kind: 'start_column_replacement',
  table_id: 3,
  column_id: 2,
  replacement: { type: 'int64', nullable: true },
});

expect(
  (
    await write('create', 'shelf', 'id v', [
      ['8', '8'],
      ['9', '9'],
    ])
  ).status,
).toBe(200);

interface Case {
  readonly what: string;
  readonly act: readonly [Kind, string, string, readonly Cells[]];
  /** From 0. */
  readonly row: number;
  readonly says: string;
  readonly reason?: string;
}

/** So many that they are checked in pieces, and keys in one go. */
const many = 20_000;
const longLoad = Array.from({ length: many }, (_, i) => [String(1000 + i), `n${i}`, null, '1']);
const withLast = (...last: Cells) => [...longLoad.slice(1), last];

const cases: readonly Case[] = [
  {
    what: 'create: a primary key that is taken',
    act: [
      'create',
      'book',
      bookColumns,
      [
        ['9', null, null, '1'],
        ['2', null, null, '1'],
      ],
    ],
    row: 1,
    says: 'table "book" has a row with this primary key already',
  },
  {
    what: 'create: two rows with one primary key',
    act: ['create', 'author', 'id', [['20'], ['21'], ['20']]],
    row: 2,
    says: 'two rows for table "author" have the same primary key',
  },
  {
    what: 'create: a value of a unique index that is taken',
    act: [
      'create',
      'book',
      bookColumns,
      [
        ['9', 'z', null, '1'],
        ['8', null, null, '1'],
        ['7', 'b', null, '1'],
      ],
    ],
    row: 2,
    says: 'unique index',
  },
  {
    what: 'create: two rows with one value of a unique index',
    act: [
      'create',
      'book',
      bookColumns,
      [
        ['9', 'z', null, '1'],
        ['8', 'y', null, '1'],
        ['7', 'z', null, '1'],
      ],
    ],
    row: 2,
    says: 'unique index',
  },
  {
    what: 'create: a foreign key to nothing, behind one that is NULL',
    act: [
      'create',
      'book',
      bookColumns,
      [
        ['9', null, null, '1'],
        ['8', null, '1', '1'],
        ['7', null, '99', '1'],
      ],
    ],
    row: 2,
    says: 'foreign key "author_id_fk" of table "book": the referenced row of table "author"',
  },
  {
    what: 'create: NULL, of rows as they are',
    act: [
      'create',
      'book',
      bookColumns,
      [
        ['9', null, null, '1'],
        ['8', null, null, null],
      ],
    ],
    row: 1,
    says: 'column "pages" of table "book" does not accept NULL',
  },
  {
    what: 'create: NULL, of rows in another order of columns',
    act: [
      'create',
      'book',
      'pages id',
      [
        ['1', '9'],
        ['1', '8'],
        [null, '7'],
      ],
    ],
    row: 2,
    says: 'column "pages" of table "book" does not accept NULL',
  },
  {
    what: 'create: the last of many rows has a value of a unique index that is taken',
    act: ['create', 'book', bookColumns, withLast('999', 'b', null, '1')],
    row: many - 1,
    says: 'unique index',
  },
  {
    what: 'create: the last of many rows has a value of an early one',
    act: ['create', 'book', bookColumns, withLast('999', 'n1', null, '1')],
    row: many - 1,
    says: 'unique index',
  },
  {
    what: 'update: a value of a unique index that is taken, behind one that stays',
    act: [
      'update',
      'book',
      'id isbn',
      [
        ['1', 'a'],
        ['3', 'b'],
      ],
    ],
    row: 1,
    says: 'unique index',
  },
  {
    what: 'update: two rows with one value of a unique index, behind one that stays',
    act: [
      'update',
      'book',
      'id isbn',
      [
        ['1', 'a'],
        ['2', 'z'],
        ['3', 'z'],
      ],
    ],
    row: 2,
    says: 'unique index',
  },
  {
    what: 'update: a foreign key to nothing',
    act: [
      'update',
      'book',
      'id author_id',
      [
        ['1', null],
        ['2', '99'],
      ],
    ],
    row: 1,
    says: 'foreign key "author_id_fk" of table "book": the referenced row of table "author"',
  },
  {
    what: 'update: NULL',
    act: [
      'update',
      'book',
      'id pages',
      [
        ['1', '2'],
        ['2', null],
      ],
    ],
    row: 1,
    says: 'column "pages" of table "book" does not accept NULL',
  },
  {
    what: 'update: no such row',
    act: [
      'update',
      'book',
      'id pages',
      [
        ['1', '2'],
        ['99', '1'],
      ],
    ],
    row: 1,
    says: 'target not found',
    reason: 'mutation_target_not_found',
  },
  {
    what: 'create: a value that cannot be converted',
    act: [
      'create',
      'shelf',
      'id v',
      [
        ['1', '1'],
        ['2', 'x'],
      ],
    ],
    row: 1,
    says: 'column "v" of table "shelf" is being replaced',
  },
  {
    what: 'update: a value that cannot be converted',
    act: [
      'update',
      'shelf',
      'id v',
      [
        ['8', '1'],
        ['9', 'x'],
      ],
    ],
    row: 1,
    says: 'column "v" of table "shelf" is being replaced',
  },
  {
    what: 'delete: a row that is referred to, found by an index',
    act: ['delete', 'author', 'id', [['5'], ['2'], ['6']]],
    row: 1,
    says: 'a row of table "author" is referenced by table "book"',
  },
  {
    what: 'delete: a row that is referred to at the end, found by a scan',
    act: ['delete', 'book', 'id', [['3'], ['2']]],
    row: 1,
    says: 'a row of table "book" is referenced by table "review"',
  },
  {
    what: 'delete: a row twice',
    act: ['delete', 'author', 'id', [['5'], ['6'], ['5']]],
    row: 2,
    says: 'the input names the same row twice',
    reason: 'mutation_target_ambiguous',
  },
];

test.each(cases)('$what', async ({ act, row, says, reason = 'constraint_violation' }) => {
  const { status, problem } = await write(...act);
  expect({ status, reason: problem['reason'], location: problem['location'] }).toEqual({
    status: 422,
    reason,
    location: {
      pointer: `/statements/1/relation/nodes/a~1b~0c/rows/${row}`,
      node: 'a/b~c',
      binding: 'written',
    },
  });
  const words = `statement "written": row ${row + 1} of ${act[3].length}: `;
  expect(problem['detail']).toStartWith(words);
  expect(String(problem['detail']).slice(words.length)).toStartWith(says);
});

describe('one row alone', () => {
  const alone: readonly (readonly [string, Case['act']])[] = [
    ['primary key', ['create', 'author', 'id', [['1']]]],
    ['unique', ['create', 'book', bookColumns, [['9', 'b', null, '1']]]],
    ['foreign key', ['create', 'book', bookColumns, [['9', 'z', '99', '1']]]],
    ['NULL', ['create', 'book', bookColumns, [['9', 'z', null, null]]]],
    ['update', ['update', 'book', 'id pages', [['1', null]]]],
    ['delete', ['delete', 'author', 'id', [['2']]]],
  ];
  test.each(alone)('%s: its place, and no number in words', async (_, act) => {
    const { problem } = await write(...act);
    expect(problem['location']).toMatchObject({
      pointer: '/statements/1/relation/nodes/a~1b~0c/rows/0',
    });
    expect(problem['detail']).not.toContain('row 1 of');
  });
});

test('an input that is not rows of the document has the statement alone', async () => {
  const rows = relationOf('id', [['20'], ['1']]);
  const relation = {
    nodes: {
      ...rows.nodes,
      f: {
        kind: 'filter',
        input: 'a/b~c',
        predicate: {
          kind: 'binary',
          op: 'gt',
          left: { kind: 'col', scope: 'r', column: 'id' },
          right: { kind: 'lit', value: { type: 'int64', value: '0' } },
        },
      },
    },
    root: { node: 'f', cardinality: 'many' },
  };
  const statement = { kind: 'create', name: 'written', table: 'author', relation };
  const { json } = await db.send('POST', '/execute', { statements: [statement] });
  const problem = json as Record<string, unknown>;
  expect(problem['location']).toEqual({ pointer: '/statements/0', binding: 'written' });
  expect(problem['detail']).not.toContain('row 2');
});
