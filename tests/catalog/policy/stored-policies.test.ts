/** Policies in the catalog record: they come back as they were, and what is unknown is refused. */

import { describe, expect, test } from 'bun:test';
import { decodeCatalog, encodeCatalog, type Policies, policyHash } from '#catalog';
import { encodeFrame } from '../../../src/catalog/stored/frame.ts';
import { after, failureOf } from '../support.ts';
import { claim, col, plain, policies, withPolicies } from './support.ts';

const everything: Policies = {
  claims: [
    { name: 'org', type: 'int64' },
    { name: 'sub', type: 'text' },
    { name: 'user', type: 'uuid' },
  ],
  tables: [
    {
      table: 1,
      read: {
        where: {
          kind: 'binary',
          op: 'or',
          left: { kind: 'unary', op: 'is_null', expr: col('row', 3) },
          right: {
            kind: 'text_match',
            value: { kind: 'coalesce', args: [claim('sub'), col('row', 2)] },
            parts: [{ kind: 'any_many' }, { kind: 'literal', value: '\u0000"\u{1f600}' }],
            comparison: 'unicode_simple_fold',
          },
        },
      },
      update: 'same_as_read',
    },
    {
      table: 2,
      create: {
        where: { kind: 'exists', node: 'j' },
        nodes: {
          p: { kind: 'scan', table: 2, scope: 'p' },
          u: { kind: 'scan', table: 1, scope: 'u' },
          j: {
            kind: 'join',
            left: 'p',
            right: 'u',
            join: 'inner',
            on: {
              kind: 'binary',
              op: 'lt',
              left: { kind: 'cast', expr: col('u', 1), to: 'float64' },
              right: { kind: 'lit', value: { type: 'float64', value: '1e3' } },
            },
          },
        },
      },
      delete: { where: { kind: 'lit', value: { type: 'bool' } } },
    },
  ],
};

test.each([
  ['of every kind', everything],
  ['of two tables', policies],
  ['without tables', { claims: [], tables: [] }],
])('policies %s come back as they were', (_, wanted) => {
  const catalog = withPolicies(plain, wanted);
  const stored = decodeCatalog(encodeCatalog(catalog));
  expect(stored).toStrictEqual(catalog);
  expect(policyHash(stored)).toBe(policyHash(catalog));
  const removed = after(stored, { kind: 'set_policies', policies: undefined });
  expect(Object.keys(decodeCatalog(encodeCatalog(removed)))).not.toContain('policies');
});

describe('a record with other policies is corrupt', () => {
  const read = (where: unknown, nodes?: unknown) => ({
    claims: [],
    tables: [{ table: 1, read: { where, ...(nodes !== undefined && { nodes }) } }],
  });
  const yes = { kind: 'lit', value: { type: 'bool', value: true } };

  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a missing member', { claims: [] }],
    ['an unknown member', { claims: [], tables: [], mode: 'strict' }],
    ['an unknown action', { claims: [], tables: [{ table: 1, truncate: 'all' }] }],
    ['an unknown word', { claims: [], tables: [{ table: 1, read: 'none' }] }],
    ['an unknown kind of expression', read({ kind: 'branch', branches: [], else: yes })],
    ['an inherited kind of expression', read({ kind: 'constructor' })],
    ['an unknown operator', read({ kind: 'binary', op: 'xor', left: yes, right: yes })],
    ['an unknown member of an expression', read({ ...yes, strict: true })],
    ['an unknown node', read(yes, { n: { kind: 'slice', input: 'm' } })],
    [
      'another join',
      read(yes, { n: { kind: 'join', left: 'a', right: 'b', join: 'left', on: yes } }),
    ],
    ['a literal of another type', read({ kind: 'lit', value: { type: 'bool', value: 'true' } })],
    ['an unknown type of a claim', { claims: [{ name: 'a', type: 'json' }], tables: [] }],
    ['an unknown table', { claims: [], tables: [{ table: 9, read: 'all' }] }],
    ['an unknown column', read({ kind: 'col', scope: 'row', column: 9 })],
    ['an unknown scope', read({ kind: 'col', scope: 'other', column: 1 })],
    ['a scan of an unknown table', read(yes, { n: { kind: 'scan', table: 9, scope: 's' } })],
    ['a table twice', { claims: [], tables: [{ table: 1 }, { table: 1, read: 'all' }] }],
    ['claims out of order', { claims: claims('b', 'a'), tables: [] }],
  ])('%s', (_, wrong) => {
    const stored = { ...JSON.parse(jsonOf(encodeCatalog(plain))), policies: wrong };
    const { reason } = failureOf(() => decodeCatalog(encodeFrame(stored)));
    expect(reason).toBe('catalog_corrupt');
  });

  function claims(...names: readonly string[]) {
    return names.map((name) => ({ name, type: 'text' }));
  }

  function jsonOf(frame: Uint8Array): string {
    return Buffer.from(frame.subarray(5)).toString('utf8');
  }
});
