/** The simple protocol, transactions and settings, with a tiny language in place of SQL. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type Harness, openHarness, type TestClient } from '../support/harness.ts';
import { messages } from '../support/messages.ts';
import type { Reply } from '../support/replies.ts';

let harness: Harness;
let client: TestClient;

beforeEach(async () => {
  harness = await openHarness();
  client = await harness.connect();
});

afterEach(() => harness.close());

const ask = (text: string, one = client) => one.ask(messages.query(text));
const error = (sqlstate: string): Reply => [
  'E',
  expect.objectContaining({ S: 'ERROR', C: sqlstate }),
];
const warning = (sqlstate: string): Reply => ['N', expect.objectContaining({ C: sqlstate })];
const rowsOf = (replies: readonly Reply[]) =>
  replies.filter(([type]) => type === 'D').map(([, row]) => row);

test('a query has columns, rows, a tag and the state', async () => {
  expect(await ask('put 1 10')).toEqual([
    ['C', 'INSERT 0 1'],
    ['Z', 'I'],
  ]);
  expect(await ask('get 1')).toEqual([
    ['T', ['key', 'value']],
    ['D', ['1', '10']],
    ['C', 'SELECT 1'],
    ['Z', 'I'],
  ]);
  expect(await ask('set 1 11')).toEqual([
    ['C', 'UPDATE 1'],
    ['Z', 'I'],
  ]);
  expect(await ask(' ;')).toEqual([['I'], ['Z', 'I']]);
});

test('an error has its position, and the session goes on', async () => {
  expect(await ask('wrong')).toEqual([error('42601'), ['Z', 'I']]);
  expect(await ask('fail')).toEqual([
    ['E', expect.objectContaining({ C: '42703', P: '6' })],
    ['Z', 'I'],
  ]);
  await ask('put 1 10');
  expect(await ask('put 1 10')).toEqual([
    ['E', expect.objectContaining({ C: '23505', t: 'register', n: 'register_pkey' })],
    ['Z', 'I'],
  ]);
});

test('the statements of one text are one transaction', async () => {
  expect(await ask('put 1 10; put 2 20')).toEqual([
    ['C', 'INSERT 0 1'],
    ['C', 'INSERT 0 1'],
    ['Z', 'I'],
  ]);
  expect(await ask('put 3 30; put 1 10; put 4 40')).toEqual([
    ['C', 'INSERT 0 1'],
    error('23505'),
    ['Z', 'I'],
  ]);
  expect(rowsOf(await ask('all'))).toEqual([
    ['1', '10'],
    ['2', '20'],
  ]);
});

test('a block commits or rolls back as a whole', async () => {
  expect(await ask('begin')).toEqual([
    ['C', 'BEGIN'],
    ['Z', 'T'],
  ]);
  await ask('put 1 10');
  const other = await harness.connect();
  expect(rowsOf(await ask('all', other))).toEqual([]);
  expect(rowsOf(await ask('all'))).toEqual([['1', '10']]);
  expect(await ask('commit')).toEqual([
    ['C', 'COMMIT'],
    ['Z', 'I'],
  ]);
  expect(rowsOf(await ask('all', other))).toEqual([['1', '10']]);
  await ask('begin; put 2 20');
  expect(await ask('rollback')).toEqual([
    ['C', 'ROLLBACK'],
    ['Z', 'I'],
  ]);
  expect(rowsOf(await ask('all'))).toEqual([['1', '10']]);
});

test('a failed block refuses statements until it ends', async () => {
  await ask('begin');
  expect(await ask('fail')).toEqual([error('42703'), ['Z', 'E']]);
  expect(await ask('get 1')).toEqual([error('25P02'), ['Z', 'E']]);
  expect(await ask('savepoint a')).toEqual([error('25P02'), ['Z', 'E']]);
  expect(await ask('commit')).toEqual([
    ['C', 'ROLLBACK'],
    ['Z', 'I'],
  ]);
});

test('savepoints undo what came after them', async () => {
  await ask('begin; put 1 10; savepoint a; put 2 20; savepoint b');
  expect(await ask('put 1 10')).toEqual([error('23505'), ['Z', 'E']]);
  expect(await ask('rollback_to b')).toEqual([
    ['C', 'ROLLBACK'],
    ['Z', 'T'],
  ]);
  expect(rowsOf(await ask('all'))).toEqual([
    ['1', '10'],
    ['2', '20'],
  ]);
  await ask('rollback_to a');
  expect(rowsOf(await ask('all'))).toEqual([['1', '10']]);
  expect(await ask('rollback_to b')).toEqual([error('3B001'), ['Z', 'E']]);
  await ask('rollback_to a');
  await ask('put 3 30; release a');
  expect(await ask('release a')).toEqual([error('3B001'), ['Z', 'E']]);
  await ask('rollback');
  expect(await ask('savepoint a')).toEqual([error('25P01'), ['Z', 'I']]);
});

test('a block that was read while others wrote has the SQLSTATE 40001', async () => {
  await ask('put 1 10');
  await ask('begin; get 1; put 2 20');
  await ask('set 1 11', await harness.connect());
  expect(await ask('commit')).toEqual([
    ['E', expect.objectContaining({ C: '40001', R: 'serializable_conflict' })],
    ['Z', 'I'],
  ]);
  expect(rowsOf(await ask('all'))).toEqual([['1', '11']]);
});

test('a read-only block refuses writes', async () => {
  await ask('begin ro');
  expect(await ask('put 1 10')).toEqual([error('25006'), ['Z', 'E']]);
  await ask('rollback');
  await ask('var default_transaction_read_only on');
  await ask('begin');
  expect(rowsOf(await ask('show transaction_read_only'))).toEqual([['on']]);
  expect(await ask('put 1 10')).toEqual([error('25006'), ['Z', 'E']]);
});

test('BEGIN within a block and COMMIT without one warn', async () => {
  expect(await ask('commit')).toEqual([warning('25P01'), ['C', 'COMMIT'], ['Z', 'I']]);
  await ask('begin');
  expect(await ask('begin')).toEqual([warning('25001'), ['C', 'BEGIN'], ['Z', 'T']]);
  expect(await ask('rollback chain')).toEqual([
    ['C', 'ROLLBACK'],
    ['Z', 'T'],
  ]);
  await ask('rollback');
  expect(await ask('commit chain')).toEqual([error('25P01'), ['Z', 'I']]);
});

test('settings are undone with their transaction, and changes are reported', async () => {
  expect(await ask('var timezone Europe/Berlin')).toEqual([
    ['C', 'SET'],
    ['S', 'TimeZone', 'Europe/Berlin'],
    ['Z', 'I'],
  ]);
  await ask('begin; var timezone UTC; savepoint a; var jit on; rollback_to a');
  expect(rowsOf(await ask('show jit'))).toEqual([['off']]);
  expect(await ask('rollback')).toEqual([
    ['C', 'ROLLBACK'],
    ['S', 'TimeZone', 'Europe/Berlin'],
    ['Z', 'I'],
  ]);
  await ask('begin; var local timezone GMT');
  expect(await ask('show TIMEZONE')).toEqual([
    ['T', ['TimeZone']],
    ['D', ['GMT']],
    ['C', 'SHOW'],
    ['Z', 'T'],
  ]);
  await ask('commit');
  expect(rowsOf(await ask('show timezone'))).toEqual([['Europe/Berlin']]);
  expect(await ask('var local jit on')).toEqual([warning('25P01'), ['C', 'SET'], ['Z', 'I']]);
});

test('cursors give their rows in parts, and end with the block', async () => {
  await ask('put 1 10; put 2 20; put 3 30');
  expect(await ask('declare c all')).toEqual([error('25P01'), ['Z', 'I']]);
  await ask('begin');
  expect(await ask('declare c all')).toEqual([
    ['C', 'DECLARE CURSOR'],
    ['Z', 'T'],
  ]);
  await ask('put 4 40');
  expect(await ask('fetch 2 c')).toEqual([
    ['T', ['key', 'value']],
    ['D', ['1', '10']],
    ['D', ['2', '20']],
    ['C', 'FETCH 2'],
    ['Z', 'T'],
  ]);
  expect(await ask('move 1 c')).toEqual([
    ['C', 'MOVE 1'],
    ['Z', 'T'],
  ]);
  expect(rowsOf(await ask('fetch 5 c'))).toEqual([]);
  expect(await ask('declare c all')).toEqual([error('42P03'), ['Z', 'E']]);
  await ask('rollback');
  await ask('begin');
  expect(await ask('fetch 1 c')).toEqual([error('34000'), ['Z', 'E']]);
});

test('a cursor ends when its declaration is undone', async () => {
  await ask('put 1 10; put 2 20');
  await ask('begin; declare before all; savepoint a; put 3 30; declare after all');
  await ask('fetch 1 before');
  await ask('rollback_to a');
  expect(rowsOf(await ask('fetch 5 before'))).toEqual([['2', '20']]);
  expect(await ask('fetch 5 after')).toEqual([error('34000'), ['Z', 'E']]);
  await ask('rollback_to a; declare after all');
  expect(rowsOf(await ask('fetch 5 after'))).toHaveLength(2);
});

test('the plan of a statement and its program are shown', async () => {
  const lines = rowsOf(await ask('explain text get 1'));
  expect((lines[0] as string[])[0]).toContain('scan');
  const pir = rowsOf(await ask('explain pir get 1')).map((row) => (row as string[])[0]);
  expect(JSON.parse(pir.join('\n'))).toMatchObject({ result: 'got' });
});

test('a change whose result cannot be shown is not committed', async () => {
  expect(await ask(`put_shown 1 ${2 ** 40}`)).toEqual([error('22003'), ['Z', 'I']]);
  expect(rowsOf(await ask('all'))).toEqual([]);
});

test('DISCARD ALL is refused in a block and forgets all otherwise', async () => {
  await ask('prepare p get $1');
  await ask('var jit on');
  await ask('begin');
  expect(await ask('discard')).toEqual([error('25001'), ['Z', 'E']]);
  await ask('rollback');
  expect(await ask('discard')).toEqual([
    ['C', 'DISCARD ALL'],
    ['Z', 'I'],
  ]);
  expect(await ask('deallocate p')).toEqual([error('26000'), ['Z', 'I']]);
  expect(rowsOf(await ask('show jit'))).toEqual([['off']]);
});
