/** UPDATE, DELETE and TRUNCATE, with the results of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import { openWrites } from './tables.ts';

type Case = readonly [
  name: string,
  text: string,
  expected: unknown,
  ...parameters: (string | null)[],
];

const cases: readonly Case[] = [
  ['UPDATE of all rows', 'update score set points = 1', 'UPDATE 3'],
  [
    'UPDATE returns the new values',
    "update score set points = points + 1 where game = 'chess' returning *",
    ['UPDATE 1', ['1', 'chess', '8']],
  ],
  [
    'UPDATE with an alias',
    "update score as s set points = s.points * 2 where s.person_id = 1 and s.game = 'go' returning s.points as p",
    ['UPDATE 1', ['10']],
  ],
  [
    'UPDATE by the name that an alias hides',
    'update score as s set points = 1 where score.points = 1',
    '42P01',
  ],
  [
    'UPDATE of several columns from one list',
    "update person set (name, age) = ('Amy', 1) where id = 1 returning name, age",
    ['UPDATE 1', ['Amy', '1']],
  ],
  [
    'UPDATE to DEFAULT',
    'update person set name = default where id = 1 returning name',
    ['UPDATE 1', ['none']],
  ],
  ['UPDATE to NULL where it must not be', 'update person set email = null', '23502'],
  [
    'UPDATE of no row to NULL where it must not be',
    'update person set email = null where id = 9',
    'UPDATE 0',
  ],
  [
    'UPDATE to a parameter that is NULL',
    'update person set email = $1 where id = 1',
    '23502',
    null,
  ],
  [
    'UPDATE of no row to a parameter that is NULL',
    'update person set email = $1 where id = 9',
    'UPDATE 0',
    null,
  ],
  ['UPDATE beyond int2', 'update person set age = age + 40000 where id = 1', '22003'],
  [
    'UPDATE with a text that is too long',
    'update person set name = $1 where id = 1',
    '22001',
    'toolong',
  ],
  ['UPDATE to an existing value', "update person set email = 'a@x'", '23505'],
  [
    'UPDATE by a subquery',
    'update person set age = (select max(points) from score where person_id = person.id) where id = 1 returning age',
    ['UPDATE 1', ['7']],
  ],
  [
    'UPDATE FROM',
    "update person set age = points from score where person_id = person.id and game = 'chess' returning person.id, age, game",
    ['UPDATE 1', ['1', '7', 'chess']],
  ],
  [
    'UPDATE FROM returns the columns of both tables',
    "update score set points = 0 from person p where p.id = person_id and p.name = 'Bob' returning *",
    ['UPDATE 1', ['2', 'go', '0', '2', 'b@x', 'Bob', null]],
  ],
  [
    'UPDATE FROM with several partners',
    'update person set age = points from score where person_id = person.id',
    '21000',
  ],
  ['UPDATE FROM of the same name', 'update score set points = 1 from score', '42712'],
  ['UPDATE of the key', 'update person set id = 9', '0A000'],
  ['UPDATE of an unknown column', 'update person set x = 9', '42703'],
  ['UPDATE of a column twice', 'update person set age = 9, age = 8', '42701'],
  [
    'WITH before UPDATE',
    'with w as (select 1 as id) update person set age = 3 from w where w.id = person.id returning person.id',
    ['UPDATE 1', ['1']],
  ],
  ['DELETE', "delete from score where game = 'go'", 'DELETE 2'],
  [
    'DELETE returns the old values',
    'delete from score where points > 6 returning points, game',
    ['DELETE 1', ['7', 'chess']],
  ],
  ['DELETE of a row that is referred to', 'delete from person where id = 1', '23503'],
  ['DELETE of all rows', 'delete from score', 'DELETE 3'],
  [
    'DELETE USING several partners',
    'delete from score using person where person_id = 1',
    'DELETE 2',
  ],
  [
    'DELETE USING returns the columns of both tables',
    "delete from score s using person p where p.id = s.person_id and p.name = 'Bob' returning s.game, p.email",
    ['DELETE 1', ['go', 'b@x']],
  ],
  ['DELETE with a parameter', 'delete from score where person_id = $1', 'DELETE 1', '2'],
  ['TRUNCATE', 'truncate score', 'TRUNCATE TABLE'],
  ['TRUNCATE of a table that is referred to', 'truncate person', '0A000'],
  ['TRUNCATE of both tables', 'truncate person, score', 'TRUNCATE TABLE'],
  ['TRUNCATE RESTART IDENTITY', 'truncate note restart identity', '0A000'],
];

for (const [name, text, expected, ...parameters] of cases) {
  test(name, async () => {
    await using writes = await openWrites();
    expect(await writes.result(text, ...parameters)).toEqual(expected);
  });
}

test('UPDATE can exchange unique values', async () => {
  await using writes = await openWrites();
  const text = "update person set email = case id when 1 then 'b@x' else 'a@x' end";
  expect(await writes.result(text)).toBe('UPDATE 2');
});

test('a statement that fails changes nothing', async () => {
  await using writes = await openWrites();
  await writes.result("insert into score values (2, 'x', 1), (1, 'go', 1)");
  expect(await writes.result('select count(*) from score')).toEqual(['SELECT 1', ['3']]);
});
