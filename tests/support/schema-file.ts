/** The object form of `svc.schema.yaml` as the cases use it, turned into catalog changes: shorthands spelled out (docs/schema.md). */

import type {
  CatalogChange,
  ColumnDefault,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
} from '#catalog';
import { generatorFunctions } from '#catalog';
import type { ScalarType } from '#value';

export interface SchemaFile {
  readonly tables: readonly FileTable[];
}

export interface FileTable {
  readonly id: number;
  readonly name: string;
  readonly columns: readonly FileColumn[];
  readonly primary_key?: readonly string[];
  readonly indexes?: readonly FileIndex[];
  readonly foreign_keys?: readonly ForeignKeyDefinition[];
}

export interface FileIndex {
  readonly name?: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
}

export interface FileColumn {
  readonly id: number;
  readonly name: string;
  readonly type: ScalarType | 'string';
  readonly nullable?: boolean;
  readonly pk?: boolean;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly ref?: string;
  readonly format?: string;
  readonly default?: string | number | bigint | boolean;
}

/** Tables first, then the keys between them, so that any order of tables works. */
export function schemaChanges(file: SchemaFile): readonly CatalogChange[] {
  const tables = file.tables.map((table): CatalogChange => {
    const keys = table.columns.filter((column) => column.pk).map((column) => column.name);
    return {
      kind: 'create_table',
      table: {
        id: table.id,
        name: table.name,
        columns: table.columns.map(columnOf),
        primary_key: table.primary_key ?? keys,
        indexes: indexesOf(table),
      },
    };
  });
  const keys = file.tables.flatMap((table) =>
    foreignKeysOf(table).map(
      (foreign_key): CatalogChange => ({
        kind: 'create_foreign_key',
        table_id: table.id,
        foreign_key,
      }),
    ),
  );
  return [...tables, ...keys];
}

function columnOf(column: FileColumn): ColumnDefinition {
  const value = column.default;
  return {
    id: column.id,
    name: column.name,
    type: typeOf(column),
    nullable: column.nullable ?? false,
    ...(column.format === undefined ? {} : { format: column.format }),
    ...(value === undefined ? {} : { default: defaultOf(value) }),
  };
}

export function typeOf(column: FileColumn): ScalarType {
  return column.type === 'string' ? 'text' : column.type;
}

function defaultOf(value: string | number | bigint | boolean): ColumnDefault {
  const func = generatorFunctions.find((name) => value === `${name}()`);
  return func === undefined ? { kind: 'literal', value } : { kind: 'generator', func };
}

function indexesOf(table: FileTable): readonly IndexDefinition[] {
  const shorthands: readonly FileIndex[] = table.columns
    .filter((column) => column.unique || column.index)
    .map((column) => ({ columns: [column.name], unique: column.unique ?? false }));
  return [...shorthands, ...(table.indexes ?? [])].map((index) => {
    const unique = index.unique ?? false;
    const generated = `${table.name}_${index.columns.join('_')}_${unique ? 'uq' : 'idx'}`;
    return { name: index.name ?? generated, columns: index.columns, unique };
  });
}

function foreignKeysOf(table: FileTable): readonly ForeignKeyDefinition[] {
  const shorthands = table.columns
    .filter((column) => column.ref !== undefined)
    .map((column): ForeignKeyDefinition => {
      const [ref_table, ref_column] = (column.ref as string).split('.') as [string, string];
      const name = `${table.name}_${column.name}_fk`;
      return { name, columns: [column.name], ref_table, ref_columns: [ref_column] };
    });
  return [...shorthands, ...(table.foreign_keys ?? [])];
}
