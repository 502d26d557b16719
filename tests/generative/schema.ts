/** Random schemas: up to three tables with keys of every kind, indexes, and foreign keys between them. */

import type {
  CatalogChange,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '#catalog';
import { foreignKeyActions } from '#catalog';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly primaryKey: readonly string[];
}

export interface Schema {
  readonly tables: readonly TableShape[];
  readonly changes: readonly CatalogChange[];
}

const types: readonly ScalarType[] = ['int64', 'text', 'float64', 'bool', 'bytes'];
const keyTypes: readonly ScalarType[] = ['int64', 'int64', 'text', 'float64', 'bytes'];

export function generateSchema(choices: Choices): Schema {
  const tables: TableShape[] = [];
  const changes = choices.many(1, 3, (i): CatalogChange => {
    const table = generateTable(choices, `t${i}`, tables);
    tables.push({ name: table.name, columns: table.columns, primaryKey: table.primary_key });
    return { kind: 'create_table', table };
  });
  return { tables, changes };
}

function generateTable(
  choices: Choices,
  name: string,
  earlier: readonly TableShape[],
): TableDefinition {
  const keys = choices.many(1, choices.oneIn(4) ? 2 : 1, (i): ColumnDefinition => {
    const type = choices.pick(keyTypes);
    const isCounted = i === 0 && type === 'int64' && choices.oneIn(6);
    return {
      name: `k${i}`,
      type,
      ...(isCounted && { default: { kind: 'generator', func: 'increment' } as const }),
    };
  });
  const others = choices.many(1, 3, (i): ColumnDefinition => {
    const nullable = !choices.oneIn(3);
    return { name: `c${i}`, type: choices.pick(types), nullable };
  });
  const key =
    earlier.length > 0 && !choices.oneIn(3) ? foreignKey(choices, name, [...earlier]) : undefined;
  const columns = [...keys, ...others, ...(key?.columns ?? [])];
  const foreignKeys = key === undefined ? [] : [key.definition];
  return {
    name,
    columns,
    primary_key: keys.map((column) => column.name),
    indexes: generateIndexes(choices, name, columns),
    foreign_keys: foreignKeys,
  };
}

function foreignKey(choices: Choices, name: string, earlier: readonly TableShape[]) {
  const parent = choices.pick(earlier);
  const nullable = !choices.oneIn(3);
  const columns = parent.primaryKey.map((key, i): ColumnDefinition => {
    const { type } = parent.columns.find((column) => column.name === key) as ColumnDefinition;
    return { name: `r${i}`, type, nullable };
  });
  const action = choices.pick(foreignKeyActions);
  const definition: ForeignKeyDefinition = {
    name: `${name}_fk`,
    columns: columns.map((column) => column.name),
    ref_table: parent.name,
    ref_columns: parent.primaryKey,
    on_delete: action === 'set_null' && !nullable ? 'cascade' : action,
  };
  return { columns, definition };
}

function generateIndexes(
  choices: Choices,
  table: string,
  columns: readonly ColumnDefinition[],
): IndexDefinition[] {
  return choices.many(0, 2, (i) => {
    const first = choices.pick(columns).name;
    const second = choices.pick(columns).name;
    const isWide = first !== second && choices.oneIn(2);
    return {
      name: `${table}_i${i}`,
      columns: isWide ? [first, second] : [first],
      unique: choices.oneIn(4),
    };
  });
}
