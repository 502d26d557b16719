/** Seed rows of a case as PIR `create` programs: one `rows` relation a group of rows with the same columns. */

import { parseIdentifier } from '../oracle/value.ts';
import type { SeedGroup } from './case.ts';
import { type FileTable, type SchemaFile, typeOf } from './schema-file.ts';

/** One program a seed group; its statements are one `create` for each set of supplied columns, in order. */
export function seedPrograms(schema: SchemaFile, seed: readonly SeedGroup[]): readonly unknown[] {
  return seed.map((group) => {
    const table = schema.tables.find((candidate) => candidate.name === group.table) as FileTable;
    const shapes = new Map<string, Readonly<Record<string, unknown>>[]>();
    for (const row of group.rows) {
      const shape = Object.keys(row).sort().join('\0');
      shapes.set(shape, [...(shapes.get(shape) ?? []), row]);
    }
    const statements = [...shapes.values()].map((rows, i) => createStatement(table, rows, i));
    return { statements, result: 'seed0' };
  });
}

function createStatement(
  table: FileTable,
  rows: readonly Readonly<Record<string, unknown>>[],
  i: number,
): unknown {
  const columns = table.columns.filter((column) => column.name in (rows[0] as object));
  const node = {
    kind: 'rows',
    scope: 'seed',
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column),
      nullable: column.nullable ?? false,
    })),
    rows: rows.map((row) => columns.map((column) => cellOf(row[column.name], column.format))),
  };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name: `seed${i}`, table: table.name, relation };
}

/** Cells are text; formatted bytes stand as identifier text in a case and as base64 in a cell. */
function cellOf(value: unknown, format: string | undefined): string | null {
  if (value === null) return null;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'string' && (format === 'uuid' || format === 'ulid' || format === 'xid')) {
    const bytes = parseIdentifier(format, value);
    if (bytes !== undefined) return Buffer.from(bytes).toString('base64');
  }
  return String(value);
}
