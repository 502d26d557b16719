/** The relation pg_type. */

import { beforeAll, expect, test } from 'bun:test';
import { allTypes } from '#sql';
import { openSql, type SqlSession } from '../support/run-sql.ts';

let sql: SqlSession;
beforeAll(async () => {
  sql = await openSql();
});

async function rowsOf(text: string): Promise<readonly (readonly (string | null)[])[]> {
  const outcome = await sql.run(text);
  if (outcome.kind !== 'done') throw new Error(`${outcome.sqlstate} ${outcome.message}`);
  return outcome.rows;
}

test('pg_type contains all types, with and without its schema', async () => {
  const expected = allTypes.map(({ oid, name }) => [String(oid), name]);
  expect(await rowsOf('select oid, typname from pg_type order by oid')).toEqual(expected);
  expect(await rowsOf('select t.oid, typname from pg_catalog.pg_type t order by 1')).toEqual(
    expected,
  );
});

test('postgres.js finds the types of arrays', async () => {
  const rows = await rowsOf(
    `select b.oid, b.typarray from pg_catalog.pg_type a left join pg_catalog.pg_type b on b.oid = a.typelem
     where a.typcategory = 'A' group by b.oid, b.typarray`,
  );
  const arrays = allTypes.filter(({ element }) => element !== undefined);
  const expected = arrays.map(({ oid, element }) => [String(element?.oid), String(oid)]);
  expect([...rows].sort()).toEqual(expected.sort());
});

test('an unknown system relation does not exist', async () => {
  expect(await sql.run('select * from pg_catalog.pg_operator')).toMatchObject({
    kind: 'failed',
    sqlstate: '42P01',
  });
});

test('a column that is qualified by its relation', async () => {
  expect(await rowsOf("select pg_type.typlen from pg_type where typname = 'int4'")).toEqual([
    ['4'],
  ]);
});
