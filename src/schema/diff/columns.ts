/** Columns that come, go, or become something else (docs/migrations.md). */

import { type Column, generatedNotNullName, isSameDefault } from '#catalog';
import { columnDefinition, defaultDefinition } from './definitions.ts';
import type { ColumnPair, SchemaPair, TablePair } from './pairs.ts';
import { tablesByName } from './renames.ts';
import { type Step, step } from './step.ts';

/** How a surviving column differs. */
type ColumnFate =
  | 'same'
  /** Later inserts get something else. */
  | 'default'
  /** Rows keep their cells; the column only promises less, or is called something else. */
  | 'relaxed'
  /** Every cell is converted. */
  | 'rewritten'
  /** NULL is not accepted any more. */
  | 'restricted';

export function fateOf({ before, after }: ColumnPair): ColumnFate {
  const isSameLabel = before.format === after.format;
  if (before.type === after.type && isSameLabel && before.nullable === after.nullable) {
    return isSameDefault(before.default, after.default) ? 'same' : 'default';
  }
  const hasSameCells =
    before.type === after.type && before.identifierFormat === after.identifierFormat;
  if (hasSameCells && (after.nullable || !before.nullable)) return 'relaxed';
  return before.type === after.type && isSameLabel ? 'restricted' : 'rewritten';
}

/** In the order in which the file declares the columns of a table: it is part of the schema. */
export function createColumnSteps({ tables }: SchemaPair): readonly Step[] {
  return tablesByName(tables).flatMap(({ after: { id, name }, addedColumns }) =>
    addedColumns.map((column) => {
      const summary = `create column ${name}.${column.name}`;
      const change = { kind: 'create_column', summary, ...at(name, column) } as const;
      const definition = columnDefinition(column);
      return step(change, { kind: 'create_column', table_id: id, column: definition });
    }),
  );
}

/** A change of the default alone, or beside a validation; a replacement carries its own. */
export function defaultSteps({ tables }: SchemaPair): readonly Step[] {
  return eachColumn(tables, ({ after: { id, name } }, { before, after }) => {
    const fate = fateOf({ before, after });
    if (fate !== 'default' && fate !== 'restricted') return [];
    if (isSameDefault(before.default, after.default)) return [];
    const summary = `change column default ${name}.${after.name}`;
    const change = { kind: 'change_column_default', summary, ...at(name, after) } as const;
    const given = after.default;
    return step(change, {
      kind: 'change_column_default',
      table_id: id,
      column_id: after.id,
      ...(given !== undefined && { default: defaultDefinition(given) }),
    });
  });
}

export function replacementSteps({ tables }: SchemaPair): readonly Step[] {
  return eachColumn(tables, ({ after: { id, name } }, { before, after }) => {
    const fate = fateOf({ before, after });
    if (fate !== 'relaxed' && fate !== 'rewritten') return [];
    const summary = `replace column ${name}.${after.name}`;
    const change = { kind: 'start_column_replacement', summary, ...at(name, after) } as const;
    const { type, nullable, format, default: given } = after;
    return step(change, {
      kind: 'start_column_replacement',
      table_id: id,
      column_id: after.id,
      replacement: {
        type,
        nullable,
        conversion: 'strict_builtin',
        prerequisites: [],
        ...(format !== undefined && { format }),
        ...(given !== undefined && { default: defaultDefinition(given) }),
      },
    });
  });
}

export function notNullSteps({ tables }: SchemaPair): readonly Step[] {
  return eachColumn(tables, ({ after: { id, name } }, pair) => {
    if (fateOf(pair) !== 'restricted') return [];
    const column = pair.after;
    const summary = `validate not-null ${name}.${column.name}`;
    const change = { kind: 'start_constraint_validation', summary, ...at(name, column) } as const;
    return step(change, {
      kind: 'start_constraint_validation',
      table_id: id,
      constraint: {
        name: generatedNotNullName(name, column.name),
        kind: 'not_null',
        column_id: column.id,
        prerequisites: [],
      },
    });
  });
}

export function deleteColumnSteps({ tables }: SchemaPair): readonly Step[] {
  return tables.flatMap(({ after: { id, name }, deletedColumns }) =>
    deletedColumns.map((column) => {
      const summary = `delete column ${name}.${column.name}`;
      const change = { kind: 'delete_column', summary, ...at(name, column) } as const;
      return step(change, { kind: 'delete_column', table_id: id, column_id: column.id });
    }),
  );
}

function at(table: string, column: Column) {
  return { table, column: column.name };
}

function eachColumn(
  tables: readonly TablePair[],
  stepsOf: (table: TablePair, column: ColumnPair) => Step | readonly Step[],
): readonly Step[] {
  return tables.flatMap((table) => table.columns.flatMap((column) => stepsOf(table, column)));
}
