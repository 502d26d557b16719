/** The SQLSTATE of failures. */

import { expect, test } from 'bun:test';
import { DatabaseError, fail, type Reason, reasons } from '../../src/failure/index.ts';
import { ProtocolError } from '../../src/postgres/codec/protocol-error.ts';
import { fieldsOf, reportOf } from '../../src/postgres/sqlstate/error-report.ts';
import { sqlstates } from '../../src/postgres/sqlstate/sqlstates.ts';
import { sqlError } from '../../src/sql/index.ts';

test('every reason has a SQLSTATE, and no other name has one', () => {
  expect(Object.keys(sqlstates).sort()).toEqual(Object.keys(reasons).sort());
  for (const state of Object.values(sqlstates)) expect(state).toMatch(/^[0-9A-Z]{5}$/);
});

test('every conflict is 40001', () => {
  for (const [reason, { code }] of Object.entries(reasons)) {
    if (code === 'conflict') expect(sqlstates[reason as Reason]).toBe('40001');
  }
});

test('faults of the compiler are internal errors', () => {
  const graph: readonly Reason[] = [
    'schema_violation',
    'unknown_node',
    'node_cycle',
    'shared_node',
    'unreachable_node',
    'nondeterministic_order',
  ];
  for (const reason of graph) expect(sqlstates[reason]).toBe('XX000');
});

test('a violated constraint decides the SQLSTATE and the fields', () => {
  const states = { unique: '23505', foreign_key: '23503', not_null: '23502', format: '22023' };
  for (const [kind, state] of Object.entries(states)) {
    const constraint = { kind: kind as keyof typeof states, table: 'book', column: 'title' };
    const report = reportOf(fail('constraint_violation', 'x', { constraint }));
    expect(report.sqlstate).toBe(state);
    expect(fieldsOf(report, 'ERROR', undefined)).toMatchObject({ t: 'book', c: 'title' });
  }
  const key = reportOf(
    fail('constraint_violation', 'x', { constraint: { kind: 'unique', table: 'book' } }),
  );
  expect(fieldsOf(key, 'ERROR', undefined)).toMatchObject({
    M: 'duplicate key value violates unique constraint "book_pkey"',
    D: 'x',
    n: 'book_pkey',
    R: 'constraint_violation',
  });
});

test('a time limit has the message of PostgreSQL', () => {
  const report = reportOf(fail('deadline_exceeded', 'the program ran longer than 50 ms'));
  expect(report).toMatchObject({
    sqlstate: '57014',
    message: 'canceling statement due to statement timeout',
    detail: 'the program ran longer than 50 ms',
  });
});

test('an unexpected error shows its incident and not its text', () => {
  const report = reportOf(new Error('secret'));
  const fields = fieldsOf(report, 'ERROR', 'abc');
  expect(fields).toMatchObject({ C: 'XX000', M: 'internal error (incident abc)' });
  expect(report.defect).toBeInstanceOf(Error);
});

test('errors of SQL keep their position and hint, protocol errors are fatal', () => {
  const error = sqlError('42703', 'column "x" does not exist', { position: 8, hint: 'Perhaps y.' });
  expect(fieldsOf(reportOf(error), 'ERROR', undefined)).toMatchObject({
    S: 'ERROR',
    C: '42703',
    P: '8',
    H: 'Perhaps y.',
  });
  expect(reportOf(new ProtocolError('bad'))).toMatchObject({ sqlstate: '08P01', isFatal: true });
  expect(
    reportOf(new DatabaseError({ reason: 'deadline_exceeded', detail: 'late' })).sqlstate,
  ).toBe('57014');
});

test('a message does not contain the name of the statement in the program', () => {
  const location = { pointer: '/statements/0', binding: 'q' };
  const error = fail('division_by_zero', 'statement "q": division by zero', { location });
  expect(reportOf(error).message).toBe('division by zero');
  const other = fail('division_by_zero', 'statement "r": division by zero', { location });
  expect(reportOf(other).message).toBe('statement "r": division by zero');
});
