/** Statements that change the catalog, on an engine, together with statements that use the tables. */

import { beforeEach, expect, test } from 'bun:test';
import { openSql, type SqlSession } from '../support/run-sql.ts';

let sql: SqlSession;
beforeEach(async () => {
  sql = await openSql();
});

async function tagOf(text: string): Promise<string> {
  const outcome = await sql.run(text);
  return outcome.kind === 'done' ? outcome.tag : `${outcome.sqlstate} ${outcome.message}`;
}

test('a table is created, changed, queried and dropped', async () => {
  expect(await tagOf('create table a (id bigserial primary key, name text unique)')).toBe(
    'CREATE TABLE',
  );
  expect(await tagOf('create table b (id int primary key, a bigint references a)')).toBe(
    'CREATE TABLE',
  );
  expect(await tagOf('create index on b (a)')).toBe('CREATE INDEX');
  expect(
    await tagOf("alter table b add c varchar(3) default 'x', add d timestamptz default now()"),
  ).toBe('ALTER TABLE');
  expect(await sql.run('select id, a, c from b')).toMatchObject({
    kind: 'done',
    columns: [{ type: { name: 'int4' } }, { type: { name: 'int8' } }, { type: { modifier: 7 } }],
    rows: [],
  });
  expect(await tagOf('drop table a cascade')).toBe('DROP TABLE');
  expect(await tagOf('drop table b')).toBe('DROP TABLE');
  expect(sql.engine.catalog.tables).toEqual([]);
});

test('the hidden key of a table is not shown', async () => {
  await tagOf('create table t (a int, b text)');
  expect(await sql.run('select * from t')).toMatchObject({
    columns: [{ name: 'a' }, { name: 'b' }],
  });
});

test('a statement that is passed over changes nothing', async () => {
  await tagOf('create table t (a int)');
  const { version } = sql.engine.catalog;
  expect(await tagOf('create table if not exists t (b int)')).toBe('CREATE TABLE');
  expect(await tagOf('drop table if exists u')).toBe('DROP TABLE');
  expect(sql.engine.catalog.version).toBe(version);
});
