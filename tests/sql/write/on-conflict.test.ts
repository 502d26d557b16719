/** INSERT … ON CONFLICT, with the results of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import { openWrites } from './tables.ts';

const scores = 'select person_id, game, points from score order by 1, 2';
const unchanged = ['SELECT 3', ['1', 'chess', '7'], ['1', 'go', '5'], ['2', 'go', null]];

type Case = readonly [name: string, text: string, expected: unknown, after?: unknown];

const cases: readonly Case[] = [
  [
    'DO NOTHING skips a row that exists',
    "insert into score values (1, 'go', 50), (2, 'chess', 1) on conflict do nothing returning *",
    ['INSERT 0 1', ['2', 'chess', '1']],
  ],
  [
    'DO NOTHING takes the first of two equal keys',
    "insert into score values (2, 'x', 1), (2, 'x', 2) on conflict (person_id, game) do nothing returning points",
    ['INSERT 0 1', ['1']],
  ],
  [
    'DO NOTHING takes the first of two computed keys',
    "insert into score values (2, 'x', (select 1)), (2, 'x', (select 2)) on conflict (person_id, game) do nothing returning points",
    ['INSERT 0 1', ['1']],
  ],
  [
    'DO NOTHING of computed rows with generated keys',
    "insert into person (email) values ((select 'p')), ((select 'q')) on conflict (id) do nothing returning id",
    ['INSERT 0 2', ['3'], ['4']],
  ],
  [
    'DO NOTHING by a unique index',
    "insert into person (email) values ('a@x'), ('new') on conflict (email) do nothing returning email",
    ['INSERT 0 1', ['new']],
  ],
  [
    'DO NOTHING by another constraint still fails',
    "insert into person (id, email) values (1, 'new') on conflict (email) do nothing",
    '23505',
  ],
  [
    'DO NOTHING of rows that conflict in several constraints',
    "insert into person (id, email) values (8, 'p'), (9, 'p') on conflict do nothing",
    '0A000',
  ],
  [
    'DO UPDATE changes the row that exists and creates the other',
    "insert into score values (1, 'go', 50), (2, 'chess', 1) on conflict (person_id, game) do update set points = excluded.points",
    'INSERT 0 2',
    ['SELECT 4', ['1', 'chess', '7'], ['1', 'go', '50'], ['2', 'chess', '1'], ['2', 'go', null]],
  ],
  [
    'DO UPDATE reads the old row and the proposed one',
    "insert into score values (1, 'go', 50) on conflict (person_id, game) do update set points = score.points + excluded.points returning *",
    ['INSERT 0 1', ['1', 'go', '55']],
  ],
  [
    'DO UPDATE … WHERE leaves other rows',
    "insert into score values (1, 'go', 50) on conflict (person_id, game) do update set points = 0 where score.points > 6 returning *",
    ['INSERT 0 0'],
    unchanged,
  ],
  [
    'DO UPDATE ON CONSTRAINT',
    "insert into score values (1, 'go', 1) on conflict on constraint score_pkey do update set points = 2 returning points",
    ['INSERT 0 1', ['2']],
  ],
  [
    'DO UPDATE with a key twice',
    "insert into score values (2, 'x', 1), (2, 'x', 2) on conflict (person_id, game) do update set points = 3",
    '21000',
    unchanged,
  ],
  [
    'DO UPDATE of a query',
    'insert into score select person_id, game, 1 from score where points > 5 on conflict (person_id, game) do update set points = excluded.points returning *',
    ['INSERT 0 1', ['1', 'chess', '1']],
  ],
  [
    'DO UPDATE of a query with a key twice',
    "insert into score select 2, 'x', points from score on conflict (person_id, game) do update set points = 3",
    '21000',
    unchanged,
  ],
  [
    'DO UPDATE of generated keys creates rows',
    "insert into person (email) values ('n') on conflict (id) do update set name = 'old' returning name",
    ['INSERT 0 1', ['none']],
  ],
  [
    'excluded has the defaults of the row',
    "insert into person (email) values ('a@x') on conflict (email) do update set name = excluded.name returning id, name",
    ['INSERT 0 1', ['1', 'none']],
  ],
  [
    'a name that both rows have',
    "insert into score values (1, 'go', 1) on conflict (person_id, game) do update set points = points + 1",
    '42702',
  ],
  [
    'columns without a constraint',
    "insert into score values (1, 'go', 1) on conflict (game) do nothing",
    '42P10',
  ],
  [
    'DO UPDATE without columns',
    "insert into score values (1, 'go', 1) on conflict do update set points = 1",
    '42601',
  ],
  [
    'a change of the key',
    "insert into score values (1, 'go', 1) on conflict (person_id, game) do update set game = 'x'",
    '0A000',
  ],
];

for (const [name, text, expected, after] of cases) {
  test(name, async () => {
    await using writes = await openWrites();
    expect(await writes.result(text)).toEqual(expected);
    if (after !== undefined) expect(await writes.result(scores)).toEqual(after);
  });
}
