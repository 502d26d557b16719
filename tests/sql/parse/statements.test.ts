/** The kinds of statements, and the refusal of those that svc does not have. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { loadParser, type Parser, SqlError } from '#sql';

let parser: Parser;
beforeAll(async () => {
  parser = await loadParser();
});

function statementOf(text: string) {
  const [placed] = parser.statements(text);
  return placed?.statement;
}

function kindOf(text: string): string {
  const statement = statementOf(text);
  return statement === undefined ? '' : statement.kind;
}

test.each([
  'select 1',
  'values (1)',
  'table t',
  'with x as (select 1) select * from x',
  'insert into t values (1)',
  'update t set a = 1',
  'delete from t',
  'truncate t',
  'create table t (a int)',
  'create table t as select 1',
  'create schema s',
  'drop table t',
  'alter table t add a int',
  'alter table t rename to u',
  'create index on t (a)',
])('%p is a program', (text) => {
  expect(kindOf(text)).toBe('program');
});

describe('transactions', () => {
  test.each([
    ['begin', { kind: 'begin', modes: {} }],
    ['start transaction read write', { kind: 'begin', modes: { isReadOnly: false } }],
    [
      'begin isolation level repeatable read, read only, deferrable',
      { kind: 'begin', modes: { isReadOnly: true, isolation: 'repeatable read' } },
    ],
    ['commit', { kind: 'commit', chains: false }],
    ['end and chain', { kind: 'commit', chains: true }],
    ['abort', { kind: 'rollback', chains: false }],
    ['savepoint "A b"', { kind: 'savepoint', name: 'A b' }],
    ['release savepoint a', { kind: 'release', name: 'a' }],
    ['rollback to savepoint a', { kind: 'rollback_to', name: 'a' }],
    [
      'set transaction isolation level serializable',
      { kind: 'set_modes', scope: 'transaction', modes: { isolation: 'serializable' } },
    ],
    [
      'set session characteristics as transaction read only',
      { kind: 'set_modes', scope: 'session', modes: { isReadOnly: true } },
    ],
  ])('%p', (text, expected) => {
    expect(statementOf(text)).toEqual(expected as never);
  });
});

describe('settings', () => {
  test.each([
    ['set a = 1', { kind: 'set', name: 'a', values: ['1'], isLocal: false }],
    ['set local a.b to -1.5', { kind: 'set', name: 'a.b', values: ['-1.5'], isLocal: true }],
    [
      'set search_path to a, "B c"',
      { kind: 'set', name: 'search_path', values: ['a', 'B c'], isLocal: false },
    ],
    ["set time zone 'UTC'", { kind: 'set', name: 'timezone', values: ['UTC'], isLocal: false }],
    ['set time zone local', { kind: 'set', name: 'timezone', isLocal: false }],
    ['set a to default', { kind: 'set', name: 'a', isLocal: false }],
    ['set a = on', { kind: 'set', name: 'a', values: ['on'], isLocal: false }],
    ['set a = true', { kind: 'set', name: 'a', values: ['true'], isLocal: false }],
    ['reset a', { kind: 'reset', name: 'a' }],
    ['reset all', { kind: 'reset', name: 'all' }],
    ['show all', { kind: 'show', name: 'all' }],
    ['show transaction isolation level', { kind: 'show', name: 'transaction_isolation' }],
    ['discard all', { kind: 'discard', what: 'all' }],
    ['discard temp', { kind: 'discard', what: 'temp' }],
  ])('%p', (text, expected) => {
    expect(statementOf(text)).toEqual(expected as never);
  });
});

describe('prepared statements and cursors', () => {
  test('PREPARE contains its types and its statement', () => {
    expect(statementOf('prepare a (int, text[]) as select $1')).toMatchObject({
      kind: 'prepare',
      name: 'a',
      types: [{ name: 'int4' }, { name: '_text' }],
      statement: { kind: 'program' },
    });
  });

  test('EXECUTE contains its arguments', () => {
    expect(statementOf("execute a (1, 'x')")).toMatchObject({ kind: 'execute', name: 'a' });
    expect(statementOf('execute a')).toEqual({ kind: 'execute', name: 'a', arguments: [] });
  });

  test('DECLARE contains its options', () => {
    expect(statementOf('declare c binary scroll cursor with hold for select 1')).toMatchObject({
      kind: 'declare',
      name: 'c',
      isBinary: true,
      isScroll: true,
      isHold: true,
    });
    expect(statementOf('declare c cursor for select 1')).toMatchObject({
      isBinary: false,
      isScroll: false,
      isHold: false,
    });
  });

  test.each([
    ['fetch c', { kind: 'fetch', name: 'c', count: 1, isMove: false }],
    ['fetch all from c', { kind: 'fetch', name: 'c', count: 'all', isMove: false }],
    ['fetch forward 0 in c', { kind: 'fetch', name: 'c', count: 0, isMove: false }],
    ['move 7 c', { kind: 'fetch', name: 'c', count: 7, isMove: true }],
    ['fetch prior c', { kind: 'fetch', name: 'c', count: -1, isMove: false }],
    ['close all', { kind: 'close', name: undefined }],
    ['deallocate prepare a', { kind: 'deallocate', name: 'a' }],
    ['deallocate all', { kind: 'deallocate', name: undefined }],
  ])('%p', (text, expected) => {
    expect(statementOf(text)).toEqual(expected as never);
  });
});

describe('EXPLAIN', () => {
  test.each([
    ['explain select 1', { isAnalyze: false, format: 'text' }],
    ['explain analyze verbose select 1', { isAnalyze: true, format: 'text' }],
    [
      'explain (analyze off, costs off, format json) select 1',
      { isAnalyze: false, format: 'json' },
    ],
    ['explain (pir) select 1', { isAnalyze: false, format: 'pir' }],
    ['explain (format pir) delete from t', { isAnalyze: false, format: 'pir' }],
  ])('%p', (text, expected) => {
    expect(statementOf(text)).toMatchObject({ kind: 'explain', ...expected } as never);
  });
});

test.each([
  ['vacuum full t', 'VACUUM'],
  ['analyze t', 'ANALYZE'],
  ['lock table t', 'LOCK TABLE'],
  ["comment on table t is 'x'", 'COMMENT'],
  ['grant select on t to u', 'GRANT'],
  ['revoke all on t from u', 'REVOKE'],
  ['grant a to b', 'GRANT ROLE'],
  ["notify c, 'x'", 'NOTIFY'],
  ['unlisten *', 'UNLISTEN'],
])('%p has no effect', (text, tag) => {
  expect(statementOf(text)).toMatchObject({ kind: 'notice', tag });
});

test.each([
  ['listen c', '0A000', 'LISTEN is not supported'],
  ['copy t from stdin', '0A000', 'COPY is not supported'],
  ['merge into t using u on true when matched then delete', '0A000', 'MERGE is not supported'],
  ["do 'x'", '0A000', 'DO is not supported'],
  ['call f()', '0A000', 'CALL is not supported'],
  ["prepare transaction 'x'", '0A000', 'two-phase commit is not supported'],
  ['create view v as select 1', '0A000', 'CREATE VIEW is not supported'],
  ['create sequence s', '0A000', 'CREATE SEQUENCE is not supported'],
  ["create type e as enum ('a')", '0A000', 'CREATE TYPE is not supported'],
  ['create extension x', '0A000', 'CREATE EXTENSION is not supported'],
  ['set constraints all deferred', '0A000', 'SET CONSTRAINTS is not supported'],
  ['fetch absolute 3 c', '0A000', 'FETCH of an absolute or relative position is not supported'],
  ['set a from current', '0A000', 'SET … FROM CURRENT is not supported'],
  ["set transaction snapshot 'x'", '0A000', 'SET TRANSACTION SNAPSHOT is not supported'],
  ['explain (format xml) select 1', '0A000', 'EXPLAIN (FORMAT XML) is not supported'],
  ['explain (foo) select 1', '42601', 'unrecognized EXPLAIN option "foo"'],
  ['prepare a (nothing) as select 1', '42704', 'type "nothing" does not exist'],
  ['prepare a (money) as select 1', '0A000', 'the type money is not supported'],
  [
    'import foreign schema a from server b into c',
    '0A000',
    'the statement ImportForeignSchema is not supported',
  ],
])('%p is refused', (text, sqlstate, message) => {
  try {
    parser.statements(text);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    expect(error.trouble).toMatchObject({ sqlstate, message });
    return;
  }
  throw new Error('the statement was accepted');
});
