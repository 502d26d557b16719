/** The section `policies`: what is rendered reads as the same policies, and what is read is stored by ids. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalog, declareCatalog, type Policies, toPolicyDocument } from '#catalog';
import { parseSchema, renderSchema, renderSection } from '#schema';
import { anyNaming, plainNaming, schemaOf } from '../arbitrary.ts';
import { policiesOf } from './policies.ts';

function policiesIn(text: string): Policies | 'absent' | 'none' {
  const schema = parseSchema(text, 'svc.schema.yaml');
  if (schema.kind === 'broken') throw new Error(`${schema.errors[0]?.message}\n${text}`);
  return schema.policies;
}

const whole = (catalog: Catalog, policies: Policies) =>
  renderSchema(catalog) + renderSection(catalog, policies);

describe('rendered policies read as the same policies', () => {
  test.each([
    ['plain names', plainNaming],
    ['any names', anyNaming],
  ])('%s', (_name, naming) => {
    const databases = schemaOf(naming)
      .map(declareCatalog)
      .filter(({ tables }) => tables.length > 0)
      .chain((catalog) => policiesOf(catalog).map((policies) => ({ catalog, policies })));
    fc.assert(
      fc.property(databases, ({ catalog, policies }) => {
        const again = policiesIn(whole(catalog, policies));
        expect(again).toEqual(policies);
        const json = JSON.stringify(toPolicyDocument(catalog, policies));
        expect(policiesIn(`${renderSchema(catalog)}policies: ${json}\n`)).toEqual(policies);
      }),
      { numRuns: 200 },
    );
  });
});

const file = `tables:
  - id: 3
    name: note
    columns:
      - { id: 1, name: id, type: int64 }
      - { id: 2, name: owner_id, type: text }
    primary_key: [id]
  - id: 7
    name: share
    columns:
      - { id: 1, name: note_id, type: int64 }
      - { id: 4, name: user_id, type: text }
    primary_key: [note_id, user_id]
policies:
  claims: { org: int64, sub: text }
  tables:
    note:
      read:
        where:
          kind: binary
          op: or
          left: { kind: binary, op: eq, left: { kind: col, scope: row, column: owner_id }, right: { kind: claim, name: sub } }
          right: { kind: exists, node: mine }
        nodes:
          mine:
            kind: filter
            input: shares
            predicate: { kind: binary, op: eq, left: { kind: col, scope: s, column: user_id }, right: { kind: claim, name: sub } }
          shares: { kind: scan, table: share, scope: s }
      create: { kind: binary, op: eq, left: { kind: col, scope: row, column: owner_id }, right: { kind: claim, name: sub } }
      update: same_as_read
    share: {}
`;

test('a file is stored by the ids of its tables and columns, and rendered for people', () => {
  const policies = policiesIn(file);
  expect(policies).toEqual({
    claims: [
      { name: 'org', type: 'int64' },
      { name: 'sub', type: 'text' },
    ],
    tables: [
      {
        table: 3,
        read: {
          where: {
            kind: 'binary',
            op: 'or',
            left: {
              kind: 'binary',
              op: 'eq',
              left: { kind: 'col', scope: 'row', column: 2 },
              right: { kind: 'claim', name: 'sub' },
            },
            right: { kind: 'exists', node: 'mine' },
          },
          nodes: {
            mine: {
              kind: 'filter',
              input: 'shares',
              predicate: {
                kind: 'binary',
                op: 'eq',
                left: { kind: 'col', scope: 's', column: 4 },
                right: { kind: 'claim', name: 'sub' },
              },
            },
            shares: { kind: 'scan', table: 7, scope: 's' },
          },
        },
        create: {
          where: {
            kind: 'binary',
            op: 'eq',
            left: { kind: 'col', scope: 'row', column: 2 },
            right: { kind: 'claim', name: 'sub' },
          },
        },
        update: 'same_as_read',
      },
      { table: 7 },
    ],
  });
  const schema = parseSchema(file, 'f');
  if (schema.kind === 'broken' || typeof schema.policies === 'string') throw new Error('broken');
  const shown = whole(schema.catalog, schema.policies);
  expect(shown).toBe(file);
});

test('the word none, and a file without the section', () => {
  expect(policiesIn('tables: []\npolicies: none\n')).toBe('none');
  expect(policiesIn('tables: []\npolicies: "none"\n')).toBe('none');
  expect(policiesIn('tables: []\n')).toBe('absent');
  expect(policiesIn('tables: []\npolicies: { tables: {} }\n')).toEqual({ claims: [], tables: [] });
});
