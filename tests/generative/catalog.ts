/** Catalog statements, and the shape of the schema after them. */

import type { CatalogChange } from '#catalog';
import type { Choices } from './choices.ts';
import { generateColumn, generateIndex, type Schema, type TableShape } from './schema.ts';

interface Step {
  readonly change: CatalogChange;
  readonly schema: Schema;
}

/** Mostly possible; the shape is what it leaves if it is. */
export function catalogStep(choices: Choices, schema: Schema, unique: number): Step {
  const table = choices.pick(schema.tables);
  const table_id = table.id;
  const to = (changed: Partial<TableShape>): Schema => ({
    ...schema,
    tables: schema.tables.map((other) => (other === table ? { ...table, ...changed } : other)),
  });
  switch (choices.below(5)) {
    case 0: {
      const index = generateIndex(choices, `x${unique}`, table.columns);
      const change = { kind: 'create_index', table_id, index } as const;
      return { change, schema: to({ indexes: [...table.indexes, index] }) };
    }
    case 1: {
      const [index] = table.indexes;
      if (index === undefined) break;
      const change = { kind: 'delete_index', table_id, index: index.name } as const;
      return { change, schema: to({ indexes: table.indexes.slice(1) }) };
    }
    case 2: {
      const id = Math.max(...table.columns.map((column) => column.id ?? 0)) + 1;
      const column = { ...generateColumn(choices, id, `n${unique}`), nullable: true };
      const change = { kind: 'create_column', table_id, column } as const;
      return { change, schema: to({ columns: [...table.columns, column] }) };
    }
    case 3: {
      const column = choices.pick(table.columns);
      const used = [
        ...table.primaryKey,
        ...table.indexes.flatMap((index) => index.columns),
        ...table.foreignKeys.flatMap((key) => key.columns),
      ];
      const isKept =
        used.includes(column.name) || table.columns.length <= table.primaryKey.length + 1;
      if (isKept) break;
      const change = { kind: 'delete_column', table_id, column_id: column.id as number } as const;
      return { change, schema: to({ columns: table.columns.filter((other) => other !== column) }) };
    }
  }
  const name = `t${table_id}x${unique}`;
  const renamed = to({ name });
  const tables = renamed.tables.map((other) => ({
    ...other,
    foreignKeys: other.foreignKeys.map((key) =>
      key.ref_table === table.name ? { ...key, ref_table: name } : key,
    ),
  }));
  return { change: { kind: 'rename_table', table_id, to: name }, schema: { ...renamed, tables } };
}
