/** INSERT, with the results of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import { openWrites } from './tables.ts';

type Case = readonly [
  name: string,
  text: string,
  expected: unknown,
  ...parameters: (string | null)[],
];

const cases: readonly Case[] = [
  [
    'ids follow the order of the list',
    "insert into person (email) values ('z'), ('c'), ('m') returning id, email, name, age",
    ['INSERT 0 3', ['3', 'z', 'none', null], ['4', 'c', 'none', null], ['5', 'm', 'none', null]],
  ],
  [
    'ids follow the ORDER BY of a query',
    'insert into person (email) select game || person_id::text from score order by game desc, person_id returning id, email',
    ['INSERT 0 3', ['3', 'go1'], ['4', 'go2'], ['5', 'chess1']],
  ],
  [
    'a query gives the rows in its order',
    'insert into person (email, age) select game, max(points) from score group by game order by game desc returning id, email, age',
    ['INSERT 0 2', ['3', 'go', '5'], ['4', 'chess', '7']],
  ],
  [
    'a list without names is that of the first columns',
    "insert into score values (2, 'chess') returning *",
    ['INSERT 0 1', ['2', 'chess', null]],
  ],
  [
    'DEFAULT in some rows is the constant default',
    "insert into person (email, name) values ('x', default), ('y', 'Yan') returning name",
    ['INSERT 0 2', ['none'], ['Yan']],
  ],
  [
    'DEFAULT in some rows generates ids, and the rows keep their order',
    "insert into person (id, email) values (9, 'x'), (default, 'y'), (20, 'z'), (default, 'w') returning id, email",
    ['INSERT 0 4', ['9', 'x'], ['10', 'y'], ['20', 'z'], ['21', 'w']],
  ],
  ['DEFAULT VALUES', 'insert into note default values returning *', ['INSERT 0 1', [null]]],
  ['DEFAULT VALUES without a needed value', 'insert into score default values', '23502'],
  ['a hidden key is not a column', "insert into note values ('a', 1)", '42601'],
  ['NULL for a column that must not be NULL', 'insert into person (email) values (null)', '23502'],
  ['a parameter that is NULL', 'insert into person (email) values ($1)', '23502', null],
  [
    'NULL from a query is found while it runs',
    'insert into person (email) select null from score',
    '23502',
  ],
  [
    'a query without rows stores no NULL',
    'insert into person (email) select null from score where false',
    'INSERT 0 0',
  ],
  [
    'a column that is omitted and must not be NULL',
    'insert into score (person_id) select id from person where false',
    'INSERT 0 0',
  ],
  ['text that is too long', "insert into person (email, name) values ('q', 'toolong')", '22001'],
  [
    'spaces at the end are cut',
    "insert into person (email, name) values ('q', 'abc    ') returning name",
    ['INSERT 0 1', ['abc  ']],
  ],
  ['an integer beyond int2', "insert into person (email, age) values ('q', 40000)", '22003'],
  [
    'an integer expression beyond int2',
    'insert into person (email, age) select game, points * 10000 from score where points = 5',
    '22003',
  ],
  [
    'a parameter gets the type of its column',
    'insert into person (email, age) values ($1, $2) returning email, age',
    ['INSERT 0 1', ['p', '12']],
    'p',
    '12',
  ],
  ['a value of another type', "insert into person (email, age) values ('x', true)", '42804'],
  [
    'an expression of another type',
    'insert into person (email, age) select game, game from score',
    '42804',
  ],
  [
    'expressions of rows',
    "insert into score values (2, 'x', (select max(points) from score)), (2, 'y', 1 + 1) returning points",
    ['INSERT 0 2', ['7'], ['2']],
  ],
  ['more values than columns', "insert into note values ('a', 'b')", '42601'],
  ['fewer values than columns', 'insert into score (person_id, game) values (1)', '42601'],
  ['lists of unlike lengths', "insert into note values ('a'), ('a', 'b')", '42601'],
  ['an unknown column', 'insert into note (x) values (1)', '42703'],
  ['a column twice', "insert into note (text, text) values ('a', 'b')", '42701'],
  ['an unknown table', 'insert into nothing values (1)', '42P01'],
  ['an existing key', "insert into score values (1, 'go', 1)", '23505'],
  ['a missing reference', "insert into score values (99, 'go', 1)", '23503'],
  ['a subquery in RETURNING', "insert into note values ('a') returning (select 1)", '0A000'],
  [
    'WITH before INSERT',
    'with w as (select game from score where person_id = 2) insert into note select game from w returning text',
    ['INSERT 0 1', ['go']],
  ],
];

for (const [name, text, expected, ...parameters] of cases) {
  test(name, async () => {
    await using writes = await openWrites();
    expect(await writes.result(text, ...parameters)).toEqual(expected);
  });
}

test('a list of 3,000 rows keeps its order', async () => {
  await using writes = await openWrites();
  const names = Array.from({ length: 3000 }, (_, i) => `n${(i * 7919) % 3000}`);
  const rows = names.map((name) => `('${name}')`).join(', ');
  const outcome = await writes.run(`insert into person (email) values ${rows} returning id, email`);
  const expected = names.map((name, i) => [String(i + 3), name]);
  expect(outcome.kind === 'done' && outcome.rows).toEqual(expected);
});
