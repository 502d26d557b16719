/** The extended protocol, with a tiny language in place of SQL. */

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

const { parse, bind, describe: describeOf, execute, sync, flush, close, query } = messages;
const error = (sqlstate: string): Reply => ['E', expect.objectContaining({ C: sqlstate })];
const int8 = (value: number) => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
  return bytes;
};
const text = (value: string) => new TextEncoder().encode(value);
const run = (sql: string, ...values: readonly Uint8Array[]) => [
  parse('', sql),
  bind('', '', values),
  execute(''),
];

test('a statement is parsed, described, bound and executed', async () => {
  await client.ask(query('put 1 10'));
  expect(await client.ask(parse('s', 'get $1', [20]), describeOf('S', 's'), sync())).toEqual([
    ['1'],
    ['t', [20]],
    ['T', ['key', 'value']],
    ['Z', 'I'],
  ]);
  const bound = bind('', 's', [int8(1)], { formats: [1], results: [0] });
  expect(await client.ask(bound, describeOf('P', ''), execute(''), sync())).toEqual([
    ['2'],
    ['T', ['key', 'value']],
    ['D', ['1', '10']],
    ['C', 'SELECT 1'],
    ['Z', 'I'],
  ]);
  expect(await client.ask(bind('', 's', [text('1')]), execute(''), sync())).toEqual([
    ['2'],
    ['D', ['1', '10']],
    ['C', 'SELECT 1'],
    ['Z', 'I'],
  ]);
});

test('an error skips everything to Sync', async () => {
  const replies = await client.ask(
    ...run('put 1 10'),
    parse('', 'wrong'),
    ...run('put 2 20'),
    flush(),
    sync(),
    ...run('all'),
    sync(),
  );
  expect(replies).toEqual([
    ['1'],
    ['2'],
    ['C', 'INSERT 0 1'],
    error('42601'),
    ['Z', 'I'],
    ['1'],
    ['2'],
    ['C', 'SELECT 0'],
    ['Z', 'I'],
  ]);
});

test('an error inside a pipeline undoes what was executed before it', async () => {
  await client.ask(...run('put 1 10'), ...run('put 2 20'), ...run('put 1 10'), sync());
  expect(await client.ask(...run('all'), sync())).toEqual([
    ['1'],
    ['2'],
    ['C', 'SELECT 0'],
    ['Z', 'I'],
  ]);
});

test('a pipeline commits at Sync, and sees its own writes', async () => {
  const other = await harness.connect();
  await client.ask(...run('put 1 10'), ...run('put 2 20'), ...run('all'), flush());
  expect(await other.ask(query('all'))).toContainEqual(['C', 'SELECT 0']);
  await client.ask(sync());
  expect(await other.ask(query('all'))).toContainEqual(['C', 'SELECT 2']);
});

test('an Execute before Sync is a program of its own', async () => {
  expect(harness.engine.openTransactions().open).toBe(0);
  client.post(...run('put 1 10'), sync());
  expect(harness.engine.openTransactions().open).toBe(0);
  await client.settled();
  expect(client.take().at(-2)).toEqual(['C', 'INSERT 0 1']);
});

test('a row limit suspends a portal within a block', async () => {
  await client.ask(query('put 1 10; put 2 20; put 3 30'));
  await client.ask(query('begin'));
  await client.ask(parse('', 'all'), bind('p', ''), sync());
  expect(await client.ask(execute('p', 2), sync())).toEqual([
    ['D', ['1', '10']],
    ['D', ['2', '20']],
    ['s'],
    ['Z', 'T'],
  ]);
  await client.ask(query('put 4 40'));
  expect(await client.ask(execute('p', 2), sync())).toEqual([
    ['D', ['3', '30']],
    ['C', 'SELECT 1'],
    ['Z', 'T'],
  ]);
  await client.ask(query('commit'));
  expect(await client.ask(execute('p', 2), sync())).toEqual([error('34000'), ['Z', 'I']]);
});

test('a suspended portal ends at Sync outside of a block', async () => {
  await client.ask(query('put 1 10; put 2 20'));
  await client.ask(parse('', 'all'), bind('', ''), execute('', 1), sync());
  expect(await client.ask(execute('', 1), sync())).toEqual([error('34000'), ['Z', 'I']]);
  expect(harness.engine.admissionStatistics()).toMatchObject({ poolUsedBytes: 0 });
});

test('a portal without rows is executed once', async () => {
  await client.ask(query('begin'));
  expect(await client.ask(...run('put 1 10'), execute(''), sync())).toEqual([
    ['1'],
    ['2'],
    ['C', 'INSERT 0 1'],
    error('55000'),
    ['Z', 'E'],
  ]);
});

test('a portal of another statement ends when its savepoint is undone', async () => {
  await client.ask(query('begin; savepoint a'));
  await client.ask(parse('', 'all'), bind('p', ''), ...run('rollback_to a'), sync());
  expect(await client.ask(execute('p'), sync())).toEqual([error('34000'), ['Z', 'E']]);
});

test('names of statements and portals are unique, and their absence is an error', async () => {
  await client.ask(parse('s', 'all'), sync());
  expect(await client.ask(parse('s', 'all'), sync())).toEqual([error('42P05'), ['Z', 'I']]);
  expect(await client.ask(close('S', 's'), close('S', 's'), parse('s', 'all'), sync())).toEqual([
    ['3'],
    ['3'],
    ['1'],
    ['Z', 'I'],
  ]);
  expect(await client.ask(bind('', 'none'), sync())).toEqual([error('26000'), ['Z', 'I']]);
  expect(await client.ask(execute('none'), sync())).toEqual([error('34000'), ['Z', 'I']]);
  expect(await client.ask(describeOf('P', 'none'), sync())).toEqual([error('34000'), ['Z', 'I']]);
  const twice = [bind('p', 's'), bind('p', 's')];
  expect(await client.ask(...twice, sync())).toEqual([['2'], error('42P03'), ['Z', 'I']]);
});

test('wrong numbers of values and formats, and unknown types are refused', async () => {
  await client.ask(parse('s', 'get $1'), sync());
  expect(await client.ask(bind('', 's'), sync())).toEqual([error('08P01'), ['Z', 'I']]);
  const formats = bind('', 's', [text('1')], { formats: [0, 0] });
  expect(await client.ask(formats, sync())).toEqual([error('08P01'), ['Z', 'I']]);
  const results = bind('', 's', [text('1')], { results: [0, 0, 0] });
  expect(await client.ask(results, execute(''), sync())).toEqual([
    ['2'],
    error('08P01'),
    ['Z', 'I'],
  ]);
  expect(await client.ask(bind('', 's', [text('x')]), sync())).toEqual([
    error('22P02'),
    ['Z', 'I'],
  ]);
  expect(await client.ask(parse('', 'get $1', [999999]), sync())).toEqual([
    error('42704'),
    ['Z', 'I'],
  ]);
  expect(await client.ask(parse('', 'all; all'), sync())).toEqual([error('42601'), ['Z', 'I']]);
});

test('an empty statement has an empty result', async () => {
  expect(
    await client.ask(parse('', ''), bind('', ''), describeOf('P', ''), execute(''), sync()),
  ).toEqual([['1'], ['2'], ['n'], ['I'], ['Z', 'I']]);
});

test('a transaction in a pipeline', async () => {
  const replies = await client.ask(
    ...run('begin'),
    ...run('put 1 10'),
    ...run('commit'),
    ...run('all'),
    sync(),
  );
  expect(replies.filter(([type]) => type === 'C' || type === 'Z')).toEqual([
    ['C', 'BEGIN'],
    ['C', 'INSERT 0 1'],
    ['C', 'COMMIT'],
    ['C', 'SELECT 1'],
    ['Z', 'I'],
  ]);
});

test('a lost race of a pipeline is reported at Sync', async () => {
  await client.ask(query('put 1 10'));
  await client.ask(...run('get 1'), ...run('put 2 20'), flush());
  await (await harness.connect()).ask(query('set 1 11'));
  expect(await client.ask(sync())).toEqual([error('40001'), ['Z', 'I']]);
});

test('messages that arrive byte by byte have the same replies', async () => {
  const bytes = [...run('put 1 10'), ...run('all'), sync(), query('get 1')];
  for (const byte of Buffer.concat(bytes)) client.post(Uint8Array.of(byte));
  await client.settled();
  expect(client.take().map(([type]) => type)).toEqual([...'12C12DCZTDCZ']);
});

test('messages that arrive while a statement runs wait for it', async () => {
  for (const part of [...run('put 1 10'), sync(), ...run('get 1'), sync()]) client.post(part);
  await client.settled();
  expect(client.take().map(([type]) => type)).toEqual([...'12CZ12DCZ']);
});

test('a function call is refused, and messages of COPY are ignored', async () => {
  expect(await client.ask(new Uint8Array([0x46, 0, 0, 0, 4]), sync())).toEqual([
    error('0A000'),
    ['Z', 'I'],
  ]);
  expect(await client.ask(new Uint8Array([0x63, 0, 0, 0, 4]), sync())).toEqual([['Z', 'I']]);
});
