/** The names of types in statements. */

import { beforeAll, expect, test } from 'bun:test';
import { loadParser, type Parser, SqlError, typeText } from '#sql';

let parser: Parser;
beforeAll(async () => {
  parser = await loadParser();
});

function typeOf(name: string): string {
  const [placed] = parser.statements(`prepare p (${name}) as select 1`);
  const statement = placed?.statement;
  if (statement?.kind !== 'prepare') throw new Error('not prepared');
  return statement.types.map(typeText).join();
}

test.each([
  ['int', 'integer'],
  ['int4', 'integer'],
  ['integer', 'integer'],
  ['bigint', 'bigint'],
  ['smallint', 'smallint'],
  ['pg_catalog.int8', 'bigint'],
  ['bool', 'boolean'],
  ['float', 'double precision'],
  ['float(24)', 'real'],
  ['double precision', 'double precision'],
  ['real', 'real'],
  ['decimal', 'numeric'],
  ['numeric(10)', 'numeric(10,0)'],
  ['numeric(10,2)', 'numeric(10,2)'],
  ['numeric(5,-2)', 'numeric(5,-2)'],
  ['varchar', 'character varying'],
  ['character varying(20)', 'character varying(20)'],
  ['char', 'character(1)'],
  ['char(3)', 'character(3)'],
  ['bpchar', 'bpchar'],
  ['text', 'text'],
  ['name', 'name'],
  ['bytea', 'bytea'],
  ['uuid', 'uuid'],
  ['json', 'json'],
  ['jsonb', 'jsonb'],
  ['date', 'date'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamp(3)', 'timestamp(3) without time zone'],
  ['timestamptz', 'timestamp with time zone'],
  ['timestamp(0) with time zone', 'timestamp(0) with time zone'],
  ['interval day to second', 'interval'],
  ['int[]', 'integer[]'],
  ['int[][3]', 'integer[]'],
  ['text array', 'text[]'],
  ['varchar(5)[]', 'character varying(5)[]'],
  ['_int4', 'integer[]'],
])('%p', (name, expected) => {
  expect(typeOf(name)).toBe(expected);
});

test.each([
  ['nothing', '42704', 'type "nothing" does not exist'],
  ['foo.int4', '42704', 'type "foo.int4" does not exist'],
  ['varchar(0)', '22023', 'length for type varchar must be at least 1'],
  ['varchar(10485761)', '22023', 'length for type varchar cannot exceed 10485760'],
  ['numeric(2000)', '22023', 'NUMERIC precision 2000 must be between 1 and 1000'],
  ['text(3)', '42601', 'type modifier is not allowed for type "text"'],
  ['time', '0A000', 'the type time is not supported'],
  ['"char"', '0A000', 'the type char is not supported'],
  ['regclass', '0A000', 'the type regclass is not supported'],
])('%p is refused', (name, sqlstate, message) => {
  try {
    typeOf(name);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    expect(error.trouble).toEqual({ sqlstate, message, position: 12 });
    return;
  }
  throw new Error('the type was accepted');
});
