import { describe, expect, test } from 'bun:test';
import { applyChange, type ColumnDefault, type ColumnDefinition, emptyCatalog } from '#catalog';
import { ByteString, ExactNumber, type Scalar } from '#value';
import { catalogOf, create, failureOf, tableOf } from '../support.ts';

type Column = Omit<ColumnDefinition, 'name' | 'default'>;

const uuidText = '00112233-4455-6677-8899-aabbccddeeff';

function withDefault(column: Column, value: ColumnDefault) {
  const columns: readonly ColumnDefinition[] = [
    { name: 'id', type: 'int64' },
    { name: 'x', ...column, default: value },
  ];
  return create({ name: 't', columns, primary_key: ['id'] });
}

function literalOf(column: Column, value: ColumnDefault & { kind: 'literal' }): Scalar | undefined {
  const change = withDefault(column, value);
  const { catalog } = applyChange(emptyCatalog, change);
  const checked = tableOf(catalog, 't').columns[1]?.default;
  return checked?.kind === 'literal' ? checked.value : undefined;
}

const lit = (value: string | number | bigint | boolean | ExactNumber) =>
  ({ kind: 'literal', value }) as const;

test.each([
  [{ type: 'text' }, lit('a\u0000é'), 'a\u0000é'],
  [{ type: 'text', format: 'uuid' }, lit('whatever'), 'whatever'],
  [{ type: 'bool' }, lit(false), false],
  [{ type: 'int64' }, lit(9_223_372_036_854_775_807n), 9_223_372_036_854_775_807n],
  [{ type: 'int64' }, lit(-0), 0],
  [{ type: 'int64', format: 'ulid' }, lit(3), 3],
  [{ type: 'float64' }, lit(3), 3],
  [{ type: 'float64' }, lit(new ExactNumber('3.0')), 3],
  [{ type: 'float64' }, lit(2n ** 60n), 2 ** 60],
] as readonly [Column, ColumnDefault & { kind: 'literal' }, Scalar][])(
  '%j takes %p',
  (column, value, expected) => {
    expect(literalOf(column, value)).toBe(expected);
  },
);

test('bytes are identifier text or base64, and carry the format', () => {
  const uuid = literalOf({ type: 'bytes', format: 'uuid' }, lit(uuidText)) as ByteString;
  expect(uuid.format).toBe('uuid');
  expect(uuid.bytes.toHex()).toBe(uuidText.replaceAll('-', ''));
  const plain = literalOf({ type: 'bytes', format: 'png' }, lit('AQI=')) as ByteString;
  expect(plain).toEqual(new ByteString(new Uint8Array([1, 2]), undefined));
});

describe('refused', () => {
  const refused: readonly (readonly [Column, ColumnDefault])[] = [
    [{ type: 'text' }, lit(1)],
    [{ type: 'text' }, lit(true)],
    [{ type: 'bool' }, lit('true')],
    [{ type: 'int64' }, lit('1')],
    [{ type: 'int64' }, lit(1.5)],
    [{ type: 'int64' }, lit(new ExactNumber('1.0'))],
    [{ type: 'int64' }, lit(new ExactNumber('1e3'))],
    [{ type: 'int64' }, lit(9_223_372_036_854_775_808n)],
    [{ type: 'float64' }, lit('1')],
    [{ type: 'float64' }, lit(10n ** 400n)],
    [{ type: 'bytes' }, lit('AQI')],
    [{ type: 'bytes' }, lit(uuidText)],
    [{ type: 'bytes', format: 'uuid' }, lit(uuidText.toUpperCase())],
    [{ type: 'bytes', format: 'uuid' }, lit('AQI=')],
    [{ type: 'bytes', format: 'ulid' }, lit(uuidText)],
    [{ type: 'bytes' }, { kind: 'generator', func: 'uuid_v4' }],
    [
      { type: 'bytes', format: 'ulid' },
      { kind: 'generator', func: 'uuid_v7' },
    ],
    [
      { type: 'bytes', format: 'uuid' },
      { kind: 'generator', func: 'ulid' },
    ],
    [
      { type: 'text', format: 'xid' },
      { kind: 'generator', func: 'xid' },
    ],
    [{ type: 'float64' }, { kind: 'generator', func: 'now_ms' }],
    [{ type: 'text' }, { kind: 'generator', func: 'increment' }],
  ];
  test.each(refused)('%j with %p', (column, value) => {
    expect(failureOf(() => applyChange(emptyCatalog, withDefault(column, value)))).toMatchObject({
      reason: 'schema_violation',
      stage: 'schema',
    });
  });
});

test.each([
  ['uuid_v4', { type: 'bytes', format: 'uuid' }],
  ['uuid_v7', { type: 'bytes', format: 'uuid' }],
  ['ulid', { type: 'bytes', format: 'ulid' }],
  ['xid', { type: 'bytes', format: 'xid' }],
  ['now_ms', { type: 'int64' }],
  ['now_ms', { type: 'int64', format: 'unix_ms' }],
  ['increment', { type: 'int64' }],
] as const)('%s fits %j', (func, column) => {
  const change = withDefault(column, { kind: 'generator', func });
  const { catalog } = applyChange(catalogOf(), change);
  expect(tableOf(catalog, 't').columns[1]?.default).toEqual({ kind: 'generator', func });
});
