/** The bodies of the catalog endpoints. */

import { describe, expect, test } from 'bun:test';
import {
  checkColumnDefinition,
  checkColumnUpdate,
  checkIndexDefinition,
  checkTableDefinition,
  checkTableUpdate,
} from '#wire';
import { failureOf, outline } from './failure-of.ts';
import { fullTable } from './samples.ts';

test('a table becomes a definition: only defaults change their shape', () => {
  const body = fullTable();
  expect(checkTableDefinition(body)).toEqual({
    ...body,
    columns: [
      {
        id: 1,
        name: 'id',
        type: 'bytes',
        format: 'ulid',
        default: { kind: 'generator', func: 'ulid' },
      },
      { name: 'count', type: 'int64', nullable: true, default: { kind: 'literal', value: 5 } },
    ],
  } as never);
});

test('small bodies', () => {
  expect(checkTableUpdate({ name: 'a b' })).toEqual({ name: 'a b' });
  expect(checkColumnUpdate({ name: 'ß' })).toEqual({ name: 'ß' });
  expect(checkIndexDefinition({ name: 'i', columns: ['a'] })).toEqual({
    name: 'i',
    columns: ['a'],
  });
  const column = { name: 'x', type: 'bool', default: { value: false } };
  expect(checkColumnDefinition(column)).toEqual({
    name: 'x',
    type: 'bool',
    default: { kind: 'literal', value: false },
  });
});

describe('what is wrong is 422 with a pointer into the body', () => {
  const table = (change: object) => () => checkTableDefinition({ ...fullTable(), ...change });
  const column = (body: object) => () => checkColumnDefinition({ name: 'x', ...body });
  const key = { name: 'k', columns: ['a'], ref_table: 't', ref_columns: ['id'] };
  const cases: readonly [string, () => unknown, string][] = [
    ['no object', () => checkTableDefinition(null), '/body'],
    ['no columns', table({ columns: [] }), '/body/columns'],
    ['id 0', table({ id: 0 }), '/body/id'],
    ['unknown type', column({ type: 'string' }), '/body/type'],
    ['no on_delete', table({ foreign_keys: [key] }), '/body/foreign_keys/0'],
    [
      'bad on_delete',
      table({ foreign_keys: [{ ...key, on_delete: 'drop' }] }),
      '/body/foreign_keys/0/on_delete',
    ],
    ['empty name', () => checkTableUpdate({ name: '' }), '/body/name'],
    ['control character', () => checkColumnUpdate({ name: 'a\n' }), '/body/name'],
    ['256 bytes', () => checkColumnUpdate({ name: 'ß'.repeat(128) }), '/body/name'],
    ['lone surrogate', () => checkColumnUpdate({ name: '\udc00' }), '/body/name'],
    [
      'unknown member',
      () => checkIndexDefinition({ name: 'i', columns: ['a'], uniqe: true }),
      '/body/uniqe',
    ],
    ['empty default', column({ type: 'text', default: {} }), '/body/default'],
    [
      'two defaults',
      column({ type: 'int64', default: { func: 'now_ms', value: 1 } }),
      '/body/default',
    ],
    [
      'default in the shape of a program',
      column({ type: 'text', default: { kind: 'literal', value: 'x' } }),
      '/body/default/kind',
    ],
    ['unfit literal', column({ type: 'int64', default: { value: 'x' } }), '/body/default/value'],
    ['unfit generator', column({ type: 'text', default: { func: 'ulid' } }), '/body/default/func'],
  ];
  test.each(cases)('%s', (_, act, pointer) => {
    expect(outline(failureOf(act))).toEqual({
      reason: 'schema_violation',
      status: 422,
      stage: 'schema',
      pointer,
    });
  });
});
