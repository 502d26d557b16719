/** Random edits of a schema, such as people make of their file. */

import fc from 'fast-check';
import type { ColumnDefinition, DeclaredTable } from '#catalog';
import { scalarTypes } from '#value';

/** Picks of one edit, each taken modulo what there is to pick from. */
export type Edit = readonly [kind: number, table: number, member: number, value: number];

export const editsOf = (max: number) =>
  fc.array(fc.tuple(fc.nat(13), fc.nat(9), fc.nat(9), fc.nat(99)), {
    minLength: 1,
    maxLength: max,
  });

type Tables = readonly DeclaredTable[];

export function edited(tables: Tables, edits: readonly Edit[]): Tables {
  let result = tables;
  for (const edit of edits) result = editOnce(result, edit);
  return result;
}

function editOnce(tables: Tables, [kind, t, m, value]: Edit): Tables {
  const table = tables[t % Math.max(1, tables.length)];
  if (kind === 0 || table === undefined) return [...tables, newTable(tables, value)];
  const column = table.columns[m % Math.max(1, table.columns.length)];
  if (column === undefined) return tables;
  const put = (after: DeclaredTable) => tables.map((one) => (one === table ? after : one));
  const putColumn = (after: ColumnDefinition) =>
    put({ ...table, columns: table.columns.map((one) => (one === column ? after : one)) });
  switch (kind) {
    case 1:
      return tables.filter((one) => one !== table);
    case 2: {
      const other = tables[value % tables.length] as DeclaredTable;
      return value % 2 === 0
        ? renameTable(tables, table, `t${value % 7}`)
        : swapTables(tables, table, other);
    }
    case 3: {
      const other = table.columns[value % table.columns.length] as ColumnDefinition;
      return value % 2 === 0
        ? renameColumns(tables, table, new Map([[column.name, `c${value % 7}`]]))
        : renameColumns(
            tables,
            table,
            new Map([
              [column.name, other.name],
              [other.name, column.name],
            ]),
          );
    }
    case 4:
      return put({ ...table, columns: [...table.columns, newColumn(table, value)] });
    case 5:
      return put({ ...table, columns: table.columns.filter((one) => one !== column) });
    case 6: {
      const { default: _, format: __, ...plain } = column;
      return putColumn({ ...plain, type: scalarTypes[value % 5] as ColumnDefinition['type'] });
    }
    case 7:
      return putColumn({ ...column, nullable: column.nullable !== true });
    case 8: {
      const { default: _, ...plain } = column;
      return putColumn({ ...plain, format: `label${value % 3}` });
    }
    case 9: {
      const { default: given, ...plain } = column;
      if (given !== undefined) return putColumn(plain);
      return column.type === 'int64'
        ? putColumn({ ...plain, default: { kind: 'literal', value } })
        : tables;
    }
    case 10: {
      const name = value % 2 === 0 ? 'x' : `${table.name}_${column.name}_idx`;
      const index = { name, columns: [column.name], unique: value % 3 === 0 };
      const others = (table.indexes ?? []).filter((one) => one.name !== name);
      return put({ ...table, indexes: [...others, index] });
    }
    case 11:
      return put({ ...table, indexes: (table.indexes ?? []).slice(1) });
    case 12:
      return put({ ...table, foreign_keys: [] });
    default: {
      const target = tables[value % tables.length] as DeclaredTable;
      const [refColumn] = target.primary_key;
      const key = {
        name: `${table.name}_${column.name}_fk`,
        columns: [column.name],
        ref_table: target.name,
        ref_columns: [refColumn as string],
      };
      return put({ ...table, foreign_keys: [key] });
    }
  }
}

function newTable(tables: Tables, value: number): DeclaredTable {
  const id = 10 + value;
  const name = `n${value % 11}`;
  const columns = [{ id: 1, name: 'id', type: 'int64' } as const];
  return tables.some((one) => one.id === id || one.name === name)
    ? { id: 200, name: 'spare', columns, primary_key: ['id'] }
    : { id, name, columns, primary_key: ['id'] };
}

function newColumn({ columns }: DeclaredTable, value: number): ColumnDefinition {
  const id = Math.max(...columns.map((column) => column.id ?? 0)) + 1 + (value % 3) + 10;
  const given = { kind: 'literal', value } as const;
  return value % 2 === 0
    ? { id, name: `z${id}`, type: 'int64', default: given }
    : { id, name: `z${id}`, type: 'text', nullable: true };
}

function swapTables(tables: Tables, one: DeclaredTable, other: DeclaredTable): Tables {
  if (one === other) return tables;
  const aside = renameTable(tables, one, '\ue000');
  const moved = renameTable(
    aside,
    aside.find(({ id }) => id === other.id) as DeclaredTable,
    one.name,
  );
  return renameTable(moved, moved.find(({ id }) => id === one.id) as DeclaredTable, other.name);
}

/** With everything that carries the name: references, and generated names. */
function renameTable(tables: Tables, table: DeclaredTable, to: string): Tables {
  const from = table.name;
  return tables.map((one) => {
    const keys = (one.foreign_keys ?? []).map((key) => ({
      ...key,
      ref_table: key.ref_table === from ? to : key.ref_table,
    }));
    const next = { ...one, foreign_keys: keys };
    return one === table ? regenerated(next, { ...next, name: to }) : next;
  });
}

function renameColumns(
  tables: Tables,
  table: DeclaredTable,
  names: ReadonlyMap<string, string>,
): Tables {
  const to = (name: string) => names.get(name) ?? name;
  return tables.map((one) => {
    const keys = (one.foreign_keys ?? []).map((key) => ({
      ...key,
      columns: one === table ? key.columns.map(to) : key.columns,
      ref_columns: key.ref_table === table.name ? key.ref_columns.map(to) : key.ref_columns,
    }));
    if (one !== table) return { ...one, foreign_keys: keys };
    const next = {
      ...one,
      columns: one.columns.map((column) => ({ ...column, name: to(column.name) })),
      primary_key: one.primary_key.map(to),
      indexes: (one.indexes ?? []).map((index) => ({ ...index, columns: index.columns.map(to) })),
      foreign_keys: keys,
    };
    return regenerated(one, next);
  });
}

/** Names that were generated before are generated again. */
function regenerated(before: DeclaredTable, after: DeclaredTable): DeclaredTable {
  const indexName = (table: string, columns: readonly string[], unique: boolean | undefined) =>
    `${table}_${columns.join('_')}_${unique === true ? 'uq' : 'idx'}`;
  return {
    ...after,
    indexes: (after.indexes ?? []).map((index, i) => {
      const former = before.indexes?.[i];
      const isGenerated =
        former !== undefined &&
        former.name === indexName(before.name, former.columns, former.unique);
      return isGenerated
        ? { ...index, name: indexName(after.name, index.columns, index.unique) }
        : index;
    }),
    foreign_keys: (after.foreign_keys ?? []).map((key, i) => {
      const former = before.foreign_keys?.[i];
      const isGenerated =
        former?.columns.length === 1 && former.name === `${before.name}_${former.columns[0]}_fk`;
      return isGenerated ? { ...key, name: `${after.name}_${key.columns[0]}_fk` } : key;
    }),
  };
}
