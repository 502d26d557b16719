/** Startup, authentication, cancellation, limits and the end of connections. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { unrestricted } from '../../../src/access/index.ts';
import { fail } from '../../../src/failure/index.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { int32, joined, messages, startup } from '../support/messages.ts';
import type { Reply } from '../support/replies.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});

afterEach(() => harness.close());

const fatal = (sqlstate: string): Reply => [
  'E',
  expect.objectContaining({ S: 'FATAL', C: sqlstate }),
];
const ada = startup({ user: 'ada', database: 'shop' });

test('a session begins with its settings and its key', async () => {
  const client = await harness.connect({ isReady: false });
  const replies = await client.ask(
    startup({ user: 'ada', application_name: 'psql', options: '-c jit=on --TimeZone=utc' }),
  );
  expect(replies[0]).toEqual(['R', 0]);
  expect(replies[1]?.[0]).toBe('K');
  expect(replies.at(-1)).toEqual(['Z', 'I']);
  const settings = Object.fromEntries(
    replies.filter(([type]) => type === 'S').map(([, name, value]) => [name, value]),
  );
  expect(settings).toEqual({
    server_version: '15.0',
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    application_name: 'psql',
    session_authorization: 'ada',
    is_superuser: 'off',
    default_transaction_read_only: 'off',
    in_hot_standby: 'off',
  });
  expect(await client.ask(messages.query('show jit'))).toContainEqual(['D', ['on']]);
});

test('encryption is refused, and bytes in the same read end the connection', async () => {
  const client = await harness.connect({ isReady: false });
  for (const request of [messages.sslRequest(), messages.gssRequest()]) {
    await client.send(request);
    expect(new TextDecoder().decode(client.takeBytes())).toBe('N');
  }
  expect((await client.ask(ada)).at(-1)).toEqual(['Z', 'I']);
  const hasty = await harness.connect({ isReady: false });
  await hasty.send(messages.sslRequest(), ada);
  expect(hasty.isEnded).toBe(true);
  expect(hasty.takeBytes().length).toBe(0);
});

test('later versions and unknown options are negotiated', async () => {
  const client = await harness.connect({ isReady: false });
  const [first] = await client.ask(startup({ user: 'ada', '_pq_.new': '1' }, 196610));
  expect(first?.[0]).toBe('v');
});

test.each([
  [startup({ database: 'shop' }), '28000'],
  [startup({ user: 'ada' }, 131072), '0A000'],
  [startup({ user: 'ada', replication: 'true' }), '0A000'],
  [startup({ user: 'ada', client_encoding: 'LATIN1' }), '22023'],
  [startup({ user: 'ada', no_such: '1' }), '42704'],
  [joined([int32(9), int32(196608), Uint8Array.of(65)]), '08P01'],
  [joined([int32(7), int32(196608)]), '08P01'],
])('a wrong startup packet is refused (%#)', async (bytes, sqlstate) => {
  const client = await harness.connect({ isReady: false });
  expect((await client.ask(bytes)).at(-1)).toEqual(fatal(sqlstate));
  expect(client.isEnded).toBe(true);
  expect(harness.failures).toEqual([sqlstate]);
});

test('a startup that takes too long ends the connection', async () => {
  const client = await harness.connect({ isReady: false });
  await client.send(ada.slice(0, 9));
  harness.world.advance(9_999);
  expect(client.isEnded).toBe(false);
  harness.world.advance(1);
  expect(client.isEnded).toBe(true);
});

test('a full server and a closed database refuse sessions', async () => {
  const full = await harness.connect({ isReady: false, isFull: () => true });
  expect(await full.ask(ada)).toEqual([fatal('53300')]);
  const refusal = () => ({ sqlstate: '57P03', message: 'the database is starting' });
  const early = await harness.connect({ isReady: false, refusal });
  expect(await early.ask(ada)).toEqual([fatal('57P03')]);
});

const token = {
  kind: 'token',
  id: 'issuer ada',
  scopes: new Set(['read', 'write', 'schema'] as const),
  visibility: unrestricted,
  claims: {},
  limits: {},
} as const;

test('a token is the password, and is checked at each statement', async () => {
  let isValid = true;
  const tokens = {
    authenticate: ({ authorization }: { readonly authorization: string }) => {
      if (isValid && authorization === 'Bearer secret') return token;
      throw fail('invalid_token', 'the access token is not valid');
    },
  };
  const client = await harness.connect({ isReady: false, tokens });
  expect(await client.ask(ada)).toEqual([['R', 3]]);
  expect((await client.ask(messages.password('secret'))).at(-1)).toEqual(['Z', 'I']);
  expect((await client.ask(messages.query('all'))).at(-2)).toEqual(['C', 'SELECT 0']);
  isValid = false;
  expect(await client.ask(messages.query('all'))).toEqual([
    ['E', expect.objectContaining({ C: '28000' })],
    ['Z', 'I'],
  ]);
  isValid = true;
  const wrong = await harness.connect({ isReady: false, tokens });
  await wrong.ask(ada);
  expect(await wrong.ask(messages.password('guess'))).toEqual([fatal('28P01')]);
  const early = await harness.connect({ isReady: false, tokens });
  expect((await early.ask(ada, messages.query('all'))).at(-1)).toEqual(fatal('08P01'));
});

test('a token that is no longer valid gets no rows of a cursor or a portal', async () => {
  let isValid = true;
  const tokens = {
    authenticate: () => {
      if (isValid) return token;
      throw fail('invalid_token', 'the access token is not valid');
    },
  };
  const { query, parse, bind, execute, sync, password } = messages;
  const client = await harness.connect({ isReady: false, tokens });
  await client.ask(ada, password('secret'));
  await client.ask(query('put 1 10; put 2 20'));
  const refused: Reply = ['E', expect.objectContaining({ C: '28000' })];
  await client.ask(query('begin; declare c all; fetch 1 c'));
  await client.ask(parse('', 'all'), bind('p', ''), execute('p', 1), sync());
  isValid = false;
  expect(await client.ask(execute('p', 1), sync())).toEqual([refused, ['Z', 'E']]);
  isValid = true;
  await client.ask(query('rollback; begin; declare c all'));
  isValid = false;
  expect(await client.ask(query('fetch 1 c'))).toEqual([refused, ['Z', 'E']]);
  expect((await client.ask(query('rollback'))).at(-1)).toEqual(['Z', 'I']);
});

test('a cancellation ends the running statement of its key only', async () => {
  const client = await harness.connect({ isReady: false });
  const [, pid, secret] = (await client.ask(ada)).find(([type]) => type === 'K') as [
    string,
    number,
    number,
  ];
  const cancel = async (by: number) => {
    const other = await harness.connect({ isReady: false });
    await other.send(messages.cancel(pid, by));
    // A client would take a reset for the failure of its request.
    expect([other.isEnded, other.isCut]).toEqual([true, false]);
    expect(other.takeBytes().length).toBe(0);
  };
  await cancel(secret);
  expect(await client.ask(messages.query('put 1 10'))).toEqual([
    ['C', 'INSERT 0 1'],
    ['Z', 'I'],
  ]);
  client.post(messages.query('put 2 20'));
  await cancel(secret + 1);
  await client.settled();
  expect(client.take()).toEqual([
    ['C', 'INSERT 0 1'],
    ['Z', 'I'],
  ]);
});

test('a message that is too long, unknown or broken ends the connection', async () => {
  for (const [bytes, sqlstate] of [
    [joined([Uint8Array.of(0x51), int32(2 << 20)]), '54000'],
    [joined([Uint8Array.of(0x51), int32(3)]), '08P01'],
    [joined([Uint8Array.of(0x79), int32(4)]), '08P01'],
    [joined([Uint8Array.of(0x42), int32(6), Uint8Array.of(0, 0)]), '08P01'],
  ] as const) {
    const client = await harness.connect();
    expect(await client.ask(bytes)).toEqual([fatal(sqlstate)]);
    expect(client.isEnded).toBe(true);
  }
});

test('a client that is gone leaves nothing behind', async () => {
  const client = await harness.connect();
  await client.ask(messages.query('begin; put 1 10; declare c all'));
  client.connection.closed();
  await harness.world.scheduler.yield();
  expect(harness.engine.openTransactions().open).toBe(0);
  expect(harness.engine.admissionStatistics()).toMatchObject({ poolUsedBytes: 0, running: 0 });
  const polite = await harness.connect();
  await polite.send(messages.terminate());
  expect(polite.isEnded).toBe(true);
});

test('an idle transaction ends its connection', async () => {
  const client = await harness.connect();
  await client.ask(messages.query('begin; put 1 10'));
  harness.world.advance(60_000);
  await harness.world.scheduler.yield();
  expect(client.take()).toEqual([fatal('25P03')]);
  expect(client.isEnded).toBe(true);
});

test('a draining server ends idle connections, and gives time to blocks', async () => {
  const idle = await harness.connect();
  const inBlock = await harness.connect();
  await inBlock.ask(messages.query('begin; put 1 10'));
  idle.connection.drain();
  inBlock.connection.drain();
  expect(idle.take()).toEqual([fatal('57P01')]);
  expect(inBlock.take()).toEqual([]);
  expect(await inBlock.ask(messages.query('commit'))).toEqual([
    ['C', 'COMMIT'],
    ['Z', 'I'],
    fatal('57P01'),
  ]);
});

test('a client that reads slowly gets all rows, and one that reads nothing is cut', async () => {
  const writer = await harness.connect();
  const wide = Array.from({ length: 400 }, (_, i) => `put ${i} ${i}`).join(';');
  await writer.ask(messages.query(wide));
  const slow = await harness.connect();
  slow.room = 100;
  const many = Array.from({ length: 200 }, () => messages.query('all'));
  slow.post(...many);
  await harness.world.scheduler.yield();
  const parts: Uint8Array[] = [slow.takeBytes()];
  while (slow.connection.isActive || parts.at(-1)?.length !== 0) {
    slow.room = 50_000;
    slow.connection.drained();
    await harness.world.scheduler.yield();
    parts.push(slow.takeBytes());
  }
  const text = new TextDecoder('latin1').decode(joined(parts));
  expect(text.split('SELECT 400').length - 1).toBe(200);
  const stuck = await harness.connect();
  stuck.room = 10;
  stuck.post(messages.query('all'));
  await stuck.settled();
  harness.world.advance(60_000);
  expect(stuck.isEnded).toBe(true);
});

test('an unexpected error has an incident and leaves the session open', async () => {
  const client = await harness.connect();
  const parts = harness.engine;
  const begin = parts.begin;
  parts.begin = () => {
    throw new TypeError('secret');
  };
  const replies = await client.ask(messages.query('begin'));
  parts.begin = begin;
  expect(replies).toEqual([
    ['E', expect.objectContaining({ C: 'XX000', M: 'internal error (incident incident-1)' })],
    ['Z', 'I'],
  ]);
  expect(harness.defects.length).toBe(1);
});
