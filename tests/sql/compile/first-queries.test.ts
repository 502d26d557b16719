/** Queries of the compiler, run on an engine in memory, with the results of PostgreSQL 15. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSql, type SqlSession, valuesOf } from '../support/run-sql.ts';
import { createItems } from './items.ts';

let session: SqlSession;

beforeAll(async () => {
  session = await openSql();
  await createItems(session);
});

afterAll(() => session.engine.close());

async function rowsOf(text: string, ...parameters: (string | null)[]) {
  const outcome = await session.run(text, parameters);
  return outcome.kind === 'done' ? outcome.rows : outcome.sqlstate;
}

const queries: readonly (readonly [text: string, rows: unknown])[] = [
  ['select 1', [['1']]],
  ["select 1 + 1, 'abc', null, true", [['2', 'abc', null, 't']]],
  ['select id from item where id = 2', [['2']]],
  ['select count(*), sum(qty), avg(qty) from item', [['3', '12', '6']]],
  ['select qty, count(*) from item group by qty having qty > 5', [['7', '1']]],
  ['select id from item where id not in (select qty from item)', []],
  ['select sum(1), sum(2), avg(0.5), avg(0) from item', [['3', '6', '0.5', '0']]],
  ['select (select max(id) from item), array(select id from item order by id)', [['3', '{1,2,3}']]],
  [
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select max(i) from n',
    [['3']],
  ],
  ['select id from item union all select 9 order by 1 desc', [['9'], ['3'], ['2'], ['1']]],
  ['select id from item order by id limit 1 offset 1', [['2']]],
  ['select id from item order by qty desc, id', [['2'], ['3'], ['1']]],
  ['select id from item order by qty, id', [['1'], ['3'], ['2']]],
  ["select 'a  '::char(5) = 'a'::char(3), length('a  '::char(5))", [['t', '1']]],
  [
    "select name like '_olt', name like name, name ilike 'B%' from item where id = 2",
    [['t', 't', 't']],
  ],
  [
    'select id from item a full join (values (3), (4)) b(id) using (id) order by 1',
    [['1'], ['2'], ['3'], ['4']],
  ],
  [
    'select id in (select qty from item), id not in (select 5) from item where id = 1',
    [[null, 't']],
  ],
  [
    "select date_trunc('month', now()), extract(dow from current_date), date_part('epoch', now())",
    [['2024-02-01 00:00:00+00', '4', '1709208000']],
  ],
  ['select case when exists (select 1 from item) then 1 else 2 end', [['1']]],
];

test.each(queries)('%s', async (text, rows) => {
  expect(await rowsOf(text)).toEqual(rows as string);
});

test('CASE has the name of the subquery in ELSE', () => {
  const { columns } = session.compile('select case when true then 1 else (select 1::int) end');
  expect(columns?.map(({ name }) => name)).toEqual(['int4']);
});

describe('parameters', () => {
  test('get their types from the context', async () => {
    const { parameters } = session.compile('select $2 from item where id = $1 limit $3');
    expect(parameters.map(({ name }) => name)).toEqual(['int4', 'text', 'int8']);
  });

  test('of BETWEEN get their type from the first comparison', () => {
    const { parameters } = session.compile('select $1 between 1 and 5000000000');
    expect(parameters.map(({ name }) => name)).toEqual(['int4']);
  });

  test('of a later execution are computed by the places of the first instance', () => {
    const compiled = session.compile('select name from item where id = $1');
    const { places } = compiled.instantiate(valuesOf([1]));
    const later = [...places.values()].map((place) => place(valuesOf([2])));
    expect(later).toEqual([2]);
  });

  test('that are NULL make another variant, and so do limits with more digits', () => {
    const compiled = session.compile('select name from item where id = $1 limit $2');
    const variants = [
      [1, 10],
      [2, 99],
      [null, 10],
      [1, 100],
      [1, null],
    ].map((values) => compiled.variant(valuesOf(values)));
    expect(variants[0]).toBe(variants[1] as string);
    expect(new Set(variants).size).toBe(4);
  });
});

test.each([
  ['select x from item', '42703'],
  ['select id from nosuch', '42P01'],
  ["select id = 'a' from item", '22P02'],
  ['select id + true from item', '42883'],
  ['select $2', '42P18'],
  ['select (select id from item)', '21000'],
])('%s: %p', async (text, found) => {
  expect(await rowsOf(text)).toBe(found);
});
