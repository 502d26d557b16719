import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalSchema, declareCatalog, emptyCatalog, toSchemaDocument } from '#catalog';
import { parseSchema, renderSchema } from '#schema';
import { anyNaming, plainNaming, schemaOf } from '../arbitrary.ts';

function parsed(text: string) {
  const schema = parseSchema(text, 'svc.schema.yaml');
  if (schema.kind === 'broken') throw new Error(`${schema.errors[0]?.message}\n${text}`);
  return schema.catalog;
}

describe('a rendered schema reads as the same schema', () => {
  test.each([
    ['plain names', plainNaming],
    ['any names', anyNaming],
  ])('%s', (_name, naming) => {
    fc.assert(
      fc.property(schemaOf(naming), (definitions) => {
        const catalog = declareCatalog(definitions);
        const again = parsed(renderSchema(catalog));
        expect(canonicalSchema(again)).toBe(canonicalSchema(catalog));
        expect(toSchemaDocument(again)).toEqual(toSchemaDocument(catalog));
      }),
    );
  });

  test('the empty schema', () => {
    expect(renderSchema(emptyCatalog)).toBe('tables: []\n');
    expect(canonicalSchema(parsed('tables: []\n'))).toBe('{}');
  });
});

test('a rendered schema has no shorthands', () => {
  const catalog = parsed(`
tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: handle, type: string, unique: true, nullable: false }
      - { id: 3, name: friend, type: int64, nullable: true, ref: users.id }
`);
  expect(renderSchema(catalog)).toBe(`tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64 }
      - { id: 2, name: handle, type: text }
      - { id: 3, name: friend, type: int64, nullable: true }
    primary_key: [id]
    indexes:
      - { name: users_handle_uq, columns: [handle], unique: true }
    foreign_keys:
      - { name: users_friend_fk, columns: [friend], ref_table: users, ref_columns: [id] }
`);
});
