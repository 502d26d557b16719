/** What the schema endpoints answer is what the published shapes describe. */

import { describe, expect, test } from 'bun:test';
import { catalogBodyDefinitions, migrationDefinitions } from '#wire';
import { compileDefinition } from '../../../src/wire/check/compile.ts';
import type { Definitions } from '../../../src/wire/check/json-schema.ts';
import { Report } from '../../../src/wire/check/report.ts';
import { openProject, schema, table } from './support.ts';

const definitions = { ...catalogBodyDefinitions, ...migrationDefinitions } as Definitions;

function complaints(name: keyof typeof migrationDefinitions, value: unknown): readonly unknown[] {
  const report = new Report();
  compileDefinition(name, definitions)(value, 0, report);
  return report.grammar;
}

const id = 'id: 1, name: id, type: int64, pk: true';
const before = schema(
  table(1, 'users', [
    id,
    'id: 2, name: a, type: text, nullable: true',
    'id: 3, name: b, type: int64, nullable: true, default: 9223372036854775807',
  ]),
  table(2, 'posts', [id, 'id: 2, name: by, type: int64, ref: users.id, index: true']),
);
const after = schema(
  table(1, 'people', [id, 'id: 2, name: a, type: int64, unique: true']),
  table(2, 'posts', [id, 'id: 2, name: by, type: int64, index: true']),
);

describe('every answer has its shape', () => {
  test('state, difference with findings, migration', async () => {
    await using project = await openProject('direct', before);
    const { json: state } = await project.db.send('GET', '/schema');
    expect(complaints('SchemaState', state)).toEqual([]);
    await project.insert('users', 'id:int64 a:text?', ['1', 'x'], ['2', null]);
    const diff = await project.diff(after);
    expect([diff.blocking.length, diff.destructive.length, diff.changes.length]).toEqual([2, 1, 5]);
    expect(complaints('SchemaDiffResult', diff)).toEqual([]);
    const migrated = await project.migrate(schema(), { accept_data_loss: true });
    expect(complaints('SchemaMigrateResult', migrated)).toEqual([]);
  });

  test('and what has another shape is noticed', () => {
    expect(complaints('SchemaState', { schema_version: 1, schema_hash: 'x' })).toHaveLength(1);
    const change = { kind: 'rename_table', summary: 'x', rows: 1 };
    expect(complaints('SchemaChange', change)).toHaveLength(1);
  });
});
