/** A failure in its public form: what its reason decides, what it overrides, and which members it has. */

import { expect, test } from 'bun:test';
import { columnsText, fail, type Reason, reasons, rowsText, titles, toProblem } from '#failure';

const problemOf = (reason: Reason, more: Parameters<typeof fail>[2] = {}) =>
  toProblem(fail(reason, 'what went wrong', more).failure);

test.each(Object.keys(reasons) as Reason[])('%s has what its row says', (reason) => {
  const { code, status, stage } = reasons[reason];
  expect(problemOf(reason)).toEqual({
    type: `urn:svc:problem:${code}`,
    title: titles[code],
    status,
    code,
    reason,
    stage,
    detail: 'what went wrong',
  });
});

test('the code of a reason agrees with the class of its status', () => {
  for (const [reason, { code, status }] of Object.entries(reasons)) {
    const statuses = {
      invalid: [403, 405, 408, 422],
      execution_failed: [422],
      not_found: [404],
      conflict: [409],
      internal: [500, 503],
      unauthenticated: [401],
      forbidden: [403],
      limited: [429],
    }[code];
    expect([reason, statuses]).toEqual([reason, expect.arrayContaining([status])]);
  }
});

test('these reasons may be gone when the same request comes again', () => {
  const again = Object.entries(reasons).filter(([, { retryable }]) => retryable);
  expect(again.map(([reason]) => reason)).toEqual([
    'request_timeout',
    'serializable_conflict',
    'schema_transition_backpressure',
    'schema_transition_finalizing',
    'internal',
    'storage_unavailable',
    'overloaded',
    'rate_limited',
    'too_many_failures',
  ]);
});

test('a failure overrides the status and the stage of its reason', () => {
  const more = { status: 400, stage: 'execution' } as const;
  expect(problemOf('invalid', more)).toMatchObject({ code: 'invalid', ...more });
});

test('members of a problem are those that the failure has', () => {
  const members = {
    location: { pointer: '/a' },
    errors: [{ reason: 'invalid', detail: 'd' } as const],
    execution: { table: 't' },
    resource: { kind: 'k' },
    conflict: { table: 't' },
    incident: 'i',
    plan: {},
  };
  const { plan: _empty, ...shown } = members;
  expect(problemOf('internal', members)).toMatchObject(shown);
  const bare = Object.keys(problemOf('internal'));
  expect(Object.keys(problemOf('internal', members))).toEqual([...bare, ...Object.keys(shown)]);
  const own = { inputRow: 1, retryAfterSeconds: 2, endsConnection: true };
  expect(Object.keys(problemOf('internal', { ...own, location: {}, execution: {} }))).toEqual(bare);
});

test('a failure keeps its cause beside what is told', () => {
  const cause = new Error('inside');
  const error = fail('internal', 'outside', { cause });
  expect(error.cause).toBe(cause);
  expect(error.failure).toEqual({ reason: 'internal', detail: 'outside' });
  expect('cause' in fail('internal', 'outside')).toBe(false);
});

test('stored rows are told of by their number, and columns by their names', () => {
  expect([0, 1, 2].map((rows) => rowsText(rows, false))).toEqual(['0 rows', '1 row', '2 rows']);
  expect(rowsText(2, true)).toBe('at least 2 rows');
  expect(columnsText([{ name: 'a' }])).toBe('column "a"');
  expect(columnsText([{ name: 'a' }, { name: 'b' }])).toBe('columns "a", "b"');
});
