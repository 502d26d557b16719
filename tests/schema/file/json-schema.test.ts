/** `schemas/svc.schema.json` says what the reader does: editors and the server agree about shapes. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';
import { declareCatalog } from '#catalog';
import { parseSchema, renderSchema, schemaFileJsonSchema } from '#schema';
import { anyNaming, plainNaming, schemaOf } from '../arbitrary.ts';

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: false | JsonSchema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

const text = schemaFileJsonSchema();
const root = JSON.parse(text) as JsonSchema;

test('it is up to date (bun run build.ts --schemas)', () => {
  const file = join(import.meta.dir, '..', '..', '..', 'schemas', 'svc.schema.json');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

/** The part of JSON Schema that the document uses, read naively. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  if (schema.$ref !== undefined) {
    return accepts(root.$defs?.[schema.$ref.slice('#/$defs/'.length)] as JsonSchema, value);
  }
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => accepts(one, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.type !== undefined && ![schema.type].flat().includes(typeOf(value, schema)))
    return false;
  if (typeof value === 'string') {
    const isLong =
      value.length < (schema.minLength ?? 0) || value.length > (schema.maxLength ?? 1e9);
    return !isLong && (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value));
  }
  if (typeof value === 'number') {
    return (
      value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
      value <= (schema.maximum ?? Number.POSITIVE_INFINITY)
    );
  }
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return value.length >= (schema.minItems ?? 0) && value.every((item) => accepts(items, item));
  }
  if (typeof value !== 'object' || value === null) return true;
  const { properties = {}, required = [], additionalProperties = false } = schema;
  return (
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, member]) => {
      const expected = properties[name] ?? additionalProperties;
      return expected !== false && accepts(expected, member);
    })
  );
}

function typeOf(value: unknown, { type }: JsonSchema): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'number' && type === 'integer' && Number.isInteger(value)
    ? 'integer'
    : typeof value;
}

test.each([
  ['plain names', plainNaming],
  ['any names', anyNaming],
])('whatever is rendered is valid: %s', (_name, naming) => {
  fc.assert(
    fc.property(schemaOf(naming), (definitions) => {
      const document: unknown = parse(renderSchema(declareCatalog(definitions)));
      expect(accepts(root, document)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

describe('what has not the shape is invalid for both', () => {
  const column = '{ id: 1, name: id, type: int64, pk: true }';
  test.each([
    '[]',
    'table: []',
    'tables: {}',
    'tables: [1]',
    `tables: [{ id: 1, name: t, columns: [] }]`,
    `tables: [{ id: 0, name: t, columns: [${column}] }]`,
    `tables: [{ id: 2147483648, name: t, columns: [${column}] }]`,
    `tables: [{ id: 1.5, name: t, columns: [${column}] }]`,
    `tables: [{ id: 1, name: "", columns: [${column}] }]`,
    `tables: [{ id: 1, name: 1, columns: [${column}] }]`,
    `tables: [{ name: t, columns: [${column}] }]`,
    `tables: [{ id: 1, name: t, columns: [{ id: 1, name: id, type: int, pk: true }] }]`,
    `tables: [{ id: 1, name: t, columns: [{ id: 1, name: id, type: int64, pk: 1 }] }]`,
    `tables: [{ id: 1, name: t, columns: [{ id: 1, name: id, type: int64, pk: true, ref: T.id }] }]`,
    `tables: [{ id: 1, name: t, columns: [{ id: 1, name: id, type: int64, pk: true, default: [] }] }]`,
    `tables: [{ id: 1, name: t, columns: [${column}], primary_key: [] }]`,
    `tables: [{ id: 1, name: t, columns: [${column}], indexes: [{ columns: [] }] }]`,
    `tables: [{ id: 1, name: t, columns: [${column}], indexes: [{ name: i }] }]`,
    `tables: [{ id: 1, name: t, columns: [${column}], foreign_keys: [{ name: k, columns: [id], ref_table: t, ref_columns: [] }] }]`,
    `tables: [{ id: 1, name: t, columns: [${column}], foreign_keys: [{ name: k, columns: [id], ref_table: t, ref_columns: [id], on_delete: set_default }] }]`,
    'tables: []\npolicies: keep',
    'tables: []\npolicies:',
    'tables: []\npolicies: {}',
    'tables: []\npolicies: { tables: {}, claims: { sub: string } }',
    ...[
      '',
      'none',
      '{}',
      'same_as_read',
      '{ kind: branch }',
      '{ kind: col, scope: row }',
      '{ kind: lit, value: { type: int64, value: 1 } }',
      '{ kind: binary, op: add, left: { kind: claim, name: a }, right: { kind: claim, name: a } }',
      '{ kind: coalesce, args: [{ kind: claim, name: a }] }',
      '{ where: { kind: exists, node: m }, nodes: { m: { kind: rows } } }',
      '{ nodes: { m: { kind: scan, table: t, scope: s } } }',
    ].map((rule) => `tables: []\npolicies: { tables: { t: { read: ${rule} } } }`),
  ])('%s', (yaml) => {
    expect(accepts(root, parse(yaml))).toBe(false);
    expect(parseSchema(yaml, 'f').kind).toBe('broken');
  });
});

test('policies that the reader accepts are valid', () => {
  const table = '{ id: 1, name: t, columns: [{ id: 1, name: id, type: int64, pk: true }] }';
  const row = '{ kind: col, scope: row, column: id }';
  const claim = '{ kind: claim, name: c }';
  const equal = `{ kind: binary, op: eq, left: ${row}, right: ${claim} }`;
  const scan = '{ kind: scan, table: t, scope: s }';
  const join = `{ kind: join, left: s, right: f, join: inner, on: ${equal} }`;
  const filter = `{ kind: filter, input: r, predicate: ${equal} }`;
  const other = '{ kind: scan, table: t, scope: r }';
  for (const rule of [
    'all',
    equal,
    `{ kind: unary, op: is_null, expr: { kind: cast, to: float64, expr: ${row} } }`,
    `{ kind: coalesce, args: [${equal}, { kind: lit, value: { type: bool } }] }`,
    `{ kind: text_match, value: { kind: lit, value: { type: text, value: a } }, parts: [{ kind: literal, value: a }, { kind: any_many }] }`,
    `{ where: { kind: exists, node: m }, nodes: { m: ${join}, s: ${scan}, f: ${filter}, r: ${other} } }`,
  ]) {
    const policies = `{ claims: { c: int64 }, tables: { t: { read: ${rule}, create: same_as_read } } }`;
    const yaml = `tables: [${table}]\npolicies: ${policies}`;
    expect([rule, accepts(root, parse(yaml)), parseSchema(yaml, 'f').kind]).toEqual([
      rule,
      true,
      'schema',
    ]);
  }
});

test('every member is described', () => {
  const { $defs = {}, ...top } = root;
  for (const level of [top, ...Object.values($defs)]) {
    for (const [name, member] of Object.entries(level.properties ?? {})) {
      expect([name, member.description?.endsWith('.')]).toEqual([name, true]);
    }
  }
});
