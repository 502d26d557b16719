import { describe, expect, test } from 'bun:test';
import {
  type Catalog,
  type ColumnDefinition,
  decodeCatalog,
  decodeIdentity,
  decodeIncrementMark,
  emptyCatalog,
  encodeCatalog,
  encodeIdentity,
  encodeIncrementMark,
  schemaHash,
} from '#catalog';
import { after, catalogOf, failureOf, posts, users } from '../support.ts';

const literal = (value: string | number | bigint | boolean) =>
  ({ kind: 'literal', value }) as const;
const columns: readonly ColumnDefinition[] = [
  { name: 'int', type: 'int64', default: literal(2n ** 63n - 1n) },
  { name: 'small', type: 'int64', default: literal(-5) },
  { name: 'zero', type: 'float64', default: literal(-0) },
  { name: 'tiny', type: 'float64', default: literal(5e-324) },
  { name: 'text', type: 'text', default: literal('\ufeffa\u0000"\u{1f600}') },
  { name: 'empty', type: 'text', default: literal('') },
  { name: 'no', type: 'bool', default: literal(false) },
  { name: 'bytes', type: 'bytes', default: literal('AP8=') },
  {
    name: 'uuid',
    type: 'bytes',
    format: 'uuid',
    default: literal('00112233-4455-6677-8899-aabbccddeeff'),
  },
  { name: 'plain', type: 'text', format: 'uuid', nullable: true },
  {
    name: 'auto',
    type: 'int64',
    nullable: true,
    default: { kind: 'generator', func: 'increment' },
  },
];

function richCatalog(): Catalog {
  const changes = columns.map(
    (column) => ({ kind: 'create_column', table_id: 1, column }) as const,
  );
  const grown = after(catalogOf(users, posts, { ...posts, name: 'more', id: 9 }), ...changes);
  const removed = after(grown, { kind: 'delete_column', table_id: 1, column_id: 5 });
  return { ...removed, versionAtMs: 1_700_000_000_123 };
}

describe('the catalog record', () => {
  test('comes back as it was', () => {
    const catalog = richCatalog();
    const stored = decodeCatalog(encodeCatalog(catalog));
    expect(stored).toStrictEqual(catalog);
    expect(schemaHash(stored)).toBe(schemaHash(catalog));
    const zero = stored.tables[0]?.columns.find((column) => column.name === 'zero');
    expect(Object.is(zero?.missing, -0)).toBe(true);
  });

  test('the empty catalog too', () => {
    expect(decodeCatalog(encodeCatalog(emptyCatalog))).toStrictEqual(emptyCatalog);
  });

  test('any changed byte is noticed', () => {
    const bytes = encodeCatalog(catalogOf(users));
    for (let i = 0; i < bytes.length; i++) {
      const broken = bytes.slice();
      broken[i] = (broken[i] as number) ^ 0x04;
      expect(failureOf(() => decodeCatalog(broken)).reason).toBe('catalog_corrupt');
    }
  });

  test('any lost byte is noticed', () => {
    const bytes = encodeCatalog(catalogOf(users));
    for (let length = 0; length < bytes.length; length++) {
      expect(failureOf(() => decodeCatalog(bytes.slice(0, length))).reason).toBe('catalog_corrupt');
    }
  });

  test('a record of another kind is noticed', () => {
    const bytes = encodeIdentity({ mode: 'direct', identity: 'x' });
    expect(failureOf(() => decodeCatalog(bytes)).reason).toBe('catalog_corrupt');
    expect(failureOf(() => decodeIdentity(encodeCatalog(emptyCatalog))).reason).toBe(
      'catalog_corrupt',
    );
  });
});

test('the identity record', () => {
  for (const mode of ['direct', 'schema'] as const) {
    expect(decodeIdentity(encodeIdentity({ mode, identity: 'abc' }))).toEqual({
      mode,
      identity: 'abc',
    });
  }
});

test('increment marks', () => {
  for (const mark of [0, 1, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n]) {
    expect(decodeIncrementMark(encodeIncrementMark(mark))).toBe(mark);
  }
  expect(failureOf(() => decodeIncrementMark(new Uint8Array(7))).reason).toBe('catalog_corrupt');
});
