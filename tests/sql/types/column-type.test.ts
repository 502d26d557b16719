/** The SQL types of columns of the catalog, and the labels of declared types. */

import { expect, test } from 'bun:test';
import { allTypes, columnType, labelOf, sqlTypes, typeText, withModifier } from '#sql';
import type { IdentifierFormat, ScalarType } from '#value';

const textOf = (type: ScalarType, format?: string, identifierFormat?: IdentifierFormat) =>
  typeText(columnType({ type, format, identifierFormat }, 'timestamptz'));

test('a column without a label has the type of its storage', () => {
  const types: readonly ScalarType[] = ['text', 'int64', 'float64', 'bool', 'bytes'];
  const shown = ['text', 'bigint', 'double precision', 'boolean', 'bytea'];
  expect(types.map((type) => textOf(type))).toEqual(shown);
});

test('a label of a declared type selects the type', () => {
  expect(textOf('int64', 'int4')).toBe('integer');
  expect(textOf('int64', 'int2')).toBe('smallint');
  expect(textOf('int64', 'date')).toBe('date');
  expect(textOf('int64', 'timestamp(3)')).toBe('timestamp(3) without time zone');
  expect(textOf('text', 'varchar(20)')).toBe('character varying(20)');
  expect(textOf('text', 'bpchar(3)')).toBe('character(3)');
  expect(textOf('text', 'jsonb')).toBe('jsonb');
  expect(textOf('bytes', 'uuid', 'uuid')).toBe('uuid');
});

test('columns of the format unix_ms are times, or numbers if the session asks for them', () => {
  const column = { type: 'int64', format: 'unix_ms' } as const;
  expect(columnType(column, 'timestamptz').name).toBe('timestamptz');
  expect(columnType(column, 'int8').name).toBe('int8');
});

test('ulid and xid columns are shown as text and stored as bytes', () => {
  const type = columnType({ type: 'bytes', format: 'ulid', identifierFormat: 'ulid' }, 'int8');
  expect(type).toMatchObject({ oid: 25, name: 'text', stored: 'bytes', format: 'ulid' });
});

test('a label that does not fit the stored type has no effect', () => {
  expect(textOf('text', 'int4')).toBe('text');
  expect(textOf('int64', 'varchar(3)')).toBe('bigint');
  expect(textOf('int64', 'kilograms')).toBe('bigint');
  expect(textOf('text', 'varchar(0)')).toBe('text');
  expect(textOf('int64', 'timestamp(7)')).toBe('bigint');
  expect(textOf('float64', 'unix_ms')).toBe('double precision');
});

test('the label of every storable type selects that type again', () => {
  const storable = allTypes.filter(
    ({ name, element }) =>
      element === undefined && !['unknown', 'void', 'interval', 'numeric'].includes(name),
  );
  const modified = [
    withModifier(sqlTypes.varchar, 24),
    withModifier(sqlTypes.bpchar, 5),
    withModifier(sqlTypes.timestamp, 3),
    withModifier(sqlTypes.timestamptz, 0),
  ];
  for (const type of [...storable, ...modified]) {
    const label = labelOf(type);
    const column = { type: type.stored, format: label, identifierFormat: type.format };
    expect(columnType(column, 'timestamptz')).toEqual(type);
  }
});
