/** Steps for created, deleted and changed columns (docs/migrations.md). */

import { generatedNotNullName, isSameDefault } from '#catalog';
import { columnDefinition, defaultDefinition } from './definitions.ts';
import type { ColumnPair, SchemaPair, TablePair } from './pairs.ts';
import { tablesByName } from './renames.ts';
import { inTable, type Step, step } from './step.ts';

/** The kind of change of a column that exists in both schemas. */
type ColumnFate =
  | 'same'
  /** Only the default differs: later inserts get another value. */
  | 'default'
  /** Stored cells are unchanged: the column becomes nullable, or has another format label. */
  | 'relaxed'
  /** Every cell is converted. */
  | 'rewritten'
  /** The column becomes non-null. */
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

/** Returns the steps in the order of the columns in the file, since that order is part of the schema. */
export function createColumnSteps({ tables }: SchemaPair): readonly Step[] {
  return tablesByName(tables).flatMap(({ after: { id, name }, addedColumns }) =>
    addedColumns.map((column) => {
      const summary = `create column ${name}.${column.name}`;
      const definition = columnDefinition(column);
      return step(summary, inTable(name, column.name), {
        kind: 'create_column',
        table_id: id,
        column: definition,
      });
    }),
  );
}

/** Returns the changes of defaults, alone or in addition to a validation. A replacement contains its default. */
export function defaultSteps({ tables }: SchemaPair): readonly Step[] {
  return eachColumn(tables, ({ after: { id, name } }, { before, after }) => {
    const fate = fateOf({ before, after });
    if (fate !== 'default' && fate !== 'restricted') return [];
    if (isSameDefault(before.default, after.default)) return [];
    const summary = `change column default ${name}.${after.name}`;
    const given = after.default;
    return step(summary, inTable(name, after.name), {
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
    const { type, nullable, format, default: given } = after;
    return step(summary, inTable(name, after.name), {
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
    return step(summary, inTable(name, column.name), {
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
      return step(summary, inTable(name, column.name), {
        kind: 'delete_column',
        table_id: id,
        column_id: column.id,
      });
    }),
  );
}

function eachColumn(
  tables: readonly TablePair[],
  stepsOf: (table: TablePair, column: ColumnPair) => Step | readonly Step[],
): readonly Step[] {
  return tables.flatMap((table) => table.columns.flatMap((column) => stepsOf(table, column)));
}
