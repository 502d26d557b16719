/** The audit log: levels, lines, failures per address, and changes that need their line. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { type AuditLevel, AuditLog, auditedPrincipal, auditLevels } from '#authentication';
import { DatabaseError } from '#failure';
import { manualWorld } from '../../support/manual-world.ts';
import { outcomeOf } from '../../support/outcome.ts';

function logOf(level: AuditLevel = 'auth') {
  const world = manualWorld();
  const state = { text: '', isFull: false, synced: 0, reopened: 0, closed: 0 };
  const failIfFull = () => {
    if (state.isFull) throw new Error('no space');
  };
  const log = new AuditLog({
    level,
    world,
    target: {
      append: (text) => {
        failIfFull();
        state.text += text;
      },
      sync: () => {
        failIfFull();
        state.synced = state.text.length;
      },
      reopen: () => void state.reopened++,
      close: () => void state.closed++,
    },
  });
  const lines = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return state.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  return { world, state, log, lines };
}

const request = {
  principal: { kind: 'key', id: 'abc' },
  address: '192.0.2.1',
  request_id: 'r1',
  endpoint: 'POST /execute',
} as const;
const work = { ...request, statements: ['create'], tables: ['orders:create'] };

test.each([
  ['auth', false, false],
  ['write', true, false],
  ['all', true, true],
] as const)('the level %s', (level, writes, reads) => {
  const { log } = logOf(level);
  expect([log.hasPrograms(true), log.hasPrograms(false)]).toEqual([writes, reads]);
});

test('there are three levels', () => {
  expect([...auditLevels]).toEqual(['auth', 'write', 'all']);
});

test('a program is one line, with its members in order', async () => {
  const { log, state, lines } = logOf('write');
  const outcome = {
    outcome: 'succeeded',
    affected: 2,
    duration_ms: 1.5,
    fingerprint: 'f1',
  } as const;
  log.program(work, outcome);
  const [line] = await lines();
  expect(line).toEqual({ time: '2023-11-14T22:13:21.000Z', event: 'program', ...work, ...outcome });
  expect(Object.keys(line)).toEqual(Object.keys({ time: 0, event: 0, ...work, ...outcome }));
  expect(state.text.endsWith('\n')).toBe(true);
});

test('names cannot forge lines', async () => {
  const { log, lines } = logOf('all');
  const name = 'x"}\n{"event":"key.created"}\r\u2028\u0000';
  log.program(
    { ...work, tables: [`${name}:read`], endpoint: name },
    { outcome: 'failed', reason: name },
  );
  expect(await lines()).toMatchObject([
    { event: 'program', endpoint: name, tables: [`${name}:read`] },
  ]);
});

test('members that are not of an event are not written', async () => {
  const { log, lines } = logOf('all');
  const more = { token: 'secret', claims: { org: 1 } };
  log.program({ ...work, ...more } as never, { outcome: 'succeeded', ...more } as never);
  log.refused({ ...work, ...more } as never, 'insufficient_scope');
  expect(JSON.stringify(await lines())).not.toMatch(/secret|claims/);
});

test('a principal has its public identity only', () => {
  expect(auditedPrincipal({ ...anyone, kind: 'token', id: 'i s', issuer: 'i' })).toEqual({
    kind: 'token',
    id: 's',
    issuer: 'i',
  });
  expect(auditedPrincipal(anyone)).toEqual({ kind: 'open', id: '' });
});

test('a missing permission is a line', async () => {
  const { log, lines } = logOf();
  log.refused(work, 'insufficient_scope');
  expect(await lines()).toMatchObject([
    { event: 'auth.refused', ...work, outcome: 'refused', reason: 'insufficient_scope' },
  ]);
});

describe('missing permissions', () => {
  const refuse = (log: AuditLog, id: string, times = 1) => {
    const of = { ...work, principal: { kind: 'key', id } } as const;
    for (let i = 0; i < times; i++) log.refused(of, 'insufficient_scope');
  };

  test('are one line a minute for each principal, with their number', async () => {
    const { log, lines, world } = logOf();
    refuse(log, 'k1', 5);
    refuse(log, 'k2');
    expect(await lines()).toMatchObject([
      { event: 'auth.refused', principal: { id: 'k1' }, count: 1 },
      { event: 'auth.refused', principal: { id: 'k2' }, count: 1 },
    ]);
    world.advance(60_000);
    const { principal, ...rest } = work;
    expect((await lines()).slice(2)).toMatchObject([
      { event: 'auth.refused', ...rest, principal: { id: 'k1' }, outcome: 'refused', count: 4 },
    ]);
    refuse(log, 'k1');
    expect((await lines()).slice(3)).toMatchObject([{ principal: { id: 'k1' }, count: 1 }]);
  });

  test('of more than 1,000 principals in a minute are counted together', async () => {
    const { log, lines, world } = logOf();
    for (let i = 0; i < 1500; i++) refuse(log, `k${i}`);
    world.advance(60_000);
    const found = await lines();
    expect(found).toHaveLength(1001);
    const { time, ...last } = found.at(-1);
    expect(last).toEqual({
      event: 'auth.refused',
      principal: { kind: 'key', id: 'others' },
      outcome: 'refused',
      reason: 'insufficient_scope',
      count: 500,
    });
  });
});

describe('invalid tokens', () => {
  const failure = (address: string, fault: 'expired' | 'form' = 'form') =>
    ({ reason: 'invalid_token', address, fault }) as const;

  test('are one line a minute for each address, with their number', async () => {
    const { log, lines, world } = logOf();
    for (let i = 0; i < 5; i++) log.failed(failure('192.0.2.1', 'expired'));
    log.failed({ ...failure('192.0.2.2'), keyId: 'k1' });
    expect(await lines()).toMatchObject([
      { event: 'auth.failed', address: '192.0.2.1', reason: 'expired', count: 1 },
      { address: '192.0.2.2', principal: { kind: 'key', id: 'k1' }, outcome: 'refused', count: 1 },
    ]);
    world.advance(60_000);
    const later = await lines();
    expect(later.slice(2)).toMatchObject([{ address: '192.0.2.1', count: 4 }]);
    log.failed(failure('192.0.2.1'));
    expect((await lines()).slice(3)).toMatchObject([{ address: '192.0.2.1', count: 1 }]);
  });

  test('need no timer while there are none', () => {
    const { log, world } = logOf();
    expect(world.pending).toEqual([]);
    log.failed(failure('192.0.2.1'));
    world.advance(60_000);
    expect(world.pending).toEqual([]);
  });

  test('of addresses of one IPv6 network are counted together', async () => {
    const { log, lines } = logOf();
    log.failed(failure('2001:db8::1'));
    log.failed(failure('2001:db8::2'));
    expect(await lines()).toHaveLength(1);
  });

  test('of more than 1,000 addresses in a minute are counted together', async () => {
    const { log, lines, world } = logOf();
    for (let i = 0; i < 3000; i++) log.failed(failure(`10.0.${i >> 8}.${i & 255}`));
    world.advance(60_000);
    const found = await lines();
    expect(found).toHaveLength(1001);
    expect(found.at(-1)).toMatchObject({ address: 'others', count: 2000 });
  });

  test('that were counted are written when the log is closed', async () => {
    const { log, lines, state } = logOf();
    for (let i = 0; i < 5; i++) log.failed(failure('192.0.2.1'));
    log.close();
    expect(await lines()).toMatchObject([{ count: 1 }, { count: 4 }]);
    expect(state.closed).toBe(1);
  });
});

describe('a change', () => {
  test('has a durable line before it happens, and one with its outcome', async () => {
    const { log, lines, state } = logOf();
    log.refused(work, 'insufficient_scope');
    const end = log.begin('key.created', request);
    expect(state.synced).toBe(state.text.length);
    expect(state.text.split('\n')).toHaveLength(3);
    end({ outcome: 'succeeded', affected: 1 });
    expect(await lines()).toMatchObject([
      { event: 'auth.refused' },
      { event: 'key.created', ...request, outcome: 'begun' },
      { event: 'key.created', ...request, outcome: 'succeeded', affected: 1 },
    ]);
  });

  test('is refused if its first line cannot be written, and the line is counted', async () => {
    const { log, state, lines } = logOf();
    state.isFull = true;
    const outcome = await outcomeOf(Promise.try(() => log.begin('schema.changed', request)));
    expect(outcome).toThrow(DatabaseError);
    try {
      outcome();
    } catch (error) {
      expect((error as DatabaseError).failure).toMatchObject({
        reason: 'storage_unavailable',
        status: 503,
        retryAfterSeconds: 10,
      });
    }
    expect(log.droppedEver).toBe(1);
    state.isFull = false;
    log.begin('schema.changed', request)({ outcome: 'failed', reason: 'invalid' });
    expect(await lines()).toMatchObject([
      { outcome: 'begun' },
      { event: 'audit.dropped', count: 1 },
      { outcome: 'failed', reason: 'invalid' },
    ]);
  });
});

test('lines that cannot be written are dropped, and their number is written later', async () => {
  const { log, state, lines } = logOf('all');
  state.isFull = true;
  for (let i = 0; i < 3; i++) log.program(work, { outcome: 'succeeded' });
  await lines();
  log.program(work, { outcome: 'succeeded' });
  await lines();
  expect(log.droppedEver).toBe(4);
  state.isFull = false;
  log.program(work, { outcome: 'succeeded' });
  expect(await lines()).toMatchObject([{ event: 'audit.dropped', count: 4 }, { event: 'program' }]);
  log.program(work, { outcome: 'succeeded' });
  expect(await lines()).toHaveLength(3);
  expect(log.droppedEver).toBe(4);
});

test('lines that wait are written before the file is opened again', () => {
  const { log, state } = logOf('all');
  log.program(work, { outcome: 'succeeded' });
  log.reopen();
  expect(state.text).toContain('"program"');
  expect(state.reopened).toBe(1);
});
