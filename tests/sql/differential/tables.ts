/** The six tables of the comparison, with the same rows on both sides. */

import type { Choices } from '../../generative/choices.ts';

export type TypeName =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float8'
  | 'text'
  | 'varchar(6)'
  | 'bool'
  | 'bytea'
  | 'uuid'
  | 'timestamptz'
  | 'date';

export interface Column {
  readonly name: string;
  readonly type: TypeName;
  readonly isNullable?: boolean;
  /** Source text of the default. `serial`: the next number. */
  readonly default?: string;
  /** The default as the catalog of svc contains it. */
  readonly constant?: string | number | boolean;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly unique?: readonly string[];
  /** A foreign key of one column. */
  readonly references?: { readonly column: string; readonly table: string; readonly to: string };
}

export const tables: readonly Table[] = [
  {
    name: 'item',
    columns: [
      { name: 'id', type: 'int4' },
      { name: 'name', type: 'text' },
      { name: 'qty', type: 'int2', isNullable: true },
      { name: 'price', type: 'float8', isNullable: true },
      { name: 'active', type: 'bool', isNullable: true, default: 'true', constant: true },
    ],
    key: ['id'],
  },
  {
    name: 'sale',
    columns: [
      { name: 'id', type: 'int8', default: 'serial' },
      { name: 'item_id', type: 'int4', isNullable: true },
      {
        name: 'placed',
        type: 'timestamptz',
        default: "'2024-02-29T12:00:00.5Z'",
        constant: 1_709_208_000_500,
      },
      { name: 'note', type: 'varchar(6)', isNullable: true, default: "'new'", constant: 'new' },
    ],
    key: ['id'],
    references: { column: 'item_id', table: 'item', to: 'id' },
  },
  {
    name: 'part',
    columns: [
      { name: 'sale', type: 'int8' },
      { name: 'no', type: 'int2' },
      { name: 'amount', type: 'int4', isNullable: true, default: '1', constant: 1 },
      { name: 'weight', type: 'float8', default: '0.5', constant: 0.5 },
    ],
    key: ['sale', 'no'],
  },
  {
    name: 'tag',
    columns: [
      { name: 'code', type: 'text' },
      { name: 'id', type: 'int4', isNullable: true },
      { name: 'label', type: 'text', isNullable: true },
      { name: 'hot', type: 'bool', default: 'false', constant: false },
    ],
    key: ['code'],
    unique: ['label'],
  },
  {
    name: 'file',
    columns: [
      { name: 'key', type: 'uuid' },
      { name: 'data', type: 'bytea', isNullable: true },
      { name: 'day', type: 'date', isNullable: true },
      { name: 'size', type: 'int8', isNullable: true },
    ],
    key: ['key'],
  },
  {
    name: 'log',
    columns: [
      { name: 'a', type: 'int4', isNullable: true },
      { name: 'b', type: 'text', isNullable: true },
      { name: 'c', type: 'float8', isNullable: true },
      { name: 'd', type: 'bool', isNullable: true },
    ],
    key: [],
  },
];

/** The table whose key counts up by itself. */
export const serial = { table: 'sale', column: 'id' };

export function createTable(table: Table): string {
  const columns = table.columns.map((column) => {
    const type = column.default === 'serial' ? 'bigserial' : column.type;
    const fallback =
      column.default === undefined || column.default === 'serial'
        ? ''
        : ` default ${column.default}`;
    return `${column.name} ${type}${column.isNullable ? '' : ' not null'}${fallback}`;
  });
  const key = table.key.length === 0 ? [] : [`primary key (${table.key.join(', ')})`];
  const unique = table.unique === undefined ? [] : [`unique (${table.unique.join(', ')})`];
  const reference = table.references;
  const foreign =
    reference === undefined
      ? []
      : [`foreign key (${reference.column}) references ${reference.table} (${reference.to})`];
  return `create table ${table.name} (${[...columns, ...key, ...unique, ...foreign].join(', ')})`;
}

const stored: Readonly<Record<TypeName, { readonly type: string; readonly format?: string }>> = {
  int2: { type: 'int64', format: 'int2' },
  int4: { type: 'int64', format: 'int4' },
  int8: { type: 'int64' },
  float8: { type: 'float64' },
  text: { type: 'text' },
  'varchar(6)': { type: 'text', format: 'varchar(6)' },
  bool: { type: 'bool' },
  bytea: { type: 'bytes' },
  uuid: { type: 'bytes', format: 'uuid' },
  timestamptz: { type: 'int64', format: 'unix_ms' },
  date: { type: 'int64', format: 'date' },
};

/** The table as a definition of the catalog. A table without a key has a hidden one. */
export function definitionOf(table: Table): object {
  const columns = table.columns.map((column) => ({
    name: column.name,
    ...stored[column.type],
    nullable: column.isNullable ?? false,
    ...(column.constant !== undefined && {
      default: { kind: 'literal', value: column.constant },
    }),
    ...(column.default === 'serial' && { default: { kind: 'generator', func: 'increment' } }),
  }));
  const rowid = {
    name: 'svc_rowid',
    type: 'int64',
    format: 'hidden',
    default: { kind: 'generator', func: 'increment' },
  };
  const { name, key, unique, references } = table;
  return {
    name,
    columns: key.length === 0 ? [...columns, rowid] : columns,
    primary_key: key.length === 0 ? [rowid.name] : key,
    indexes: unique === undefined ? [] : [{ name: `${name}_uq`, columns: unique, unique: true }],
    foreign_keys:
      references === undefined
        ? []
        : [
            {
              name: `${name}_fk`,
              columns: [references.column],
              ref_table: references.table,
              ref_columns: [references.to],
            },
          ],
  };
}

/** Values of a type in the order of how simple they are, as PostgreSQL reads them. */
export const values: Readonly<Record<TypeName, readonly string[]>> = {
  int2: ['1', '0', '2', '3', '-1', '7', '100', '32767', '-32768'],
  int4: ['1', '0', '2', '3', '4', '-1', '5', '7', '100', '40000', '2147483647'],
  int8: ['1', '0', '2', '3', '4', '-1', '5', '9', '1000', '5000000000', '9007199254740993'],
  float8: ['0.5', '0', '1', '-1.5', '2.25', '100', '3', '10000000000', '-0.25'],
  text: ['a', '', 'b', 'ab', 'A', 'abc', 'é', 'a b', 'x%', '_', '日本', '12', 'B', '😀'],
  'varchar(6)': ['a', '', 'b', 'new', 'ab', 'sixsix'],
  bool: ['true', 'false'],
  bytea: ['\\x', '\\x00', '\\xdead', '\\x61', '\\xff00ff'],
  uuid: [
    '00000000-0000-0000-0000-000000000000',
    '00000000-0000-0000-0000-000000000001',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    'ffffffff-ffff-4fff-bfff-ffffffffffff',
  ],
  timestamptz: [
    '2024-01-01 00:00:00+00',
    '1970-01-01 00:00:00+00',
    '2024-02-29 12:00:00.5+00',
    '1969-12-31 23:59:59.999+00',
    '2024-01-01 00:00:00.001+00',
  ],
  date: ['2024-01-01', '1970-01-01', '2024-02-29', '1969-12-31', '2000-12-31'],
};

export type Cells = readonly (readonly (string | null)[])[];

/** The first rows of a table. Keys are distinct, and references lead to a row. */
export function rowsOf(table: Table, choices: Choices): Cells {
  const keys = new Set<string>();
  const uniques = new Set<string | null>();
  const rows: (string | null)[][] = [];
  for (let i = 0; i < 6; i++) {
    const row = table.columns.map((column) => cellOf(table, column, choices));
    // Other tables refer to this row.
    if (i === 0 && table.name === 'item') row[0] = '1';
    const key = table.key.map((name) => row[table.columns.findIndex((c) => c.name === name)]);
    const unique = row[table.columns.findIndex((c) => c.name === table.unique?.[0])] ?? null;
    if ((table.key.length > 0 && keys.has(key.join())) || (unique !== null && uniques.has(unique)))
      continue;
    keys.add(key.join());
    uniques.add(unique);
    rows.push(row);
  }
  return rows;
}

function cellOf(table: Table, column: Column, choices: Choices): string | null {
  if (column.isNullable && choices.oneIn(4)) return null;
  if (table.references?.column === column.name) return '1';
  return choices.pick(values[column.type]);
}

/** An INSERT of literal rows, for both sides. */
export function insertRows(table: Table, rows: Cells): string | undefined {
  if (rows.length === 0) return undefined;
  const lines = rows.map(
    (row) => `(${row.map((cell) => (cell === null ? 'null' : `'${cell}'`)).join(', ')})`,
  );
  return `insert into ${table.name} (${table.columns.map((c) => c.name).join(', ')}) values ${lines.join(', ')}`;
}
