/** Statements that the SQL databases share. */

import type { ShopTable } from '../tables.ts';
import { indexName } from './engine.ts';

export type SqlTypes = Readonly<Record<ShopTable['columns'][number]['type'], string>>;

const sqlTypes: SqlTypes = { int64: 'bigint', float64: 'double precision', text: 'text' };

export function createTable({ name, columns }: ShopTable, keyType = 'bigint'): string {
  const list = columns.map((column, i) =>
    i === 0
      ? `${column.name} ${keyType} primary key`
      : `${column.name} ${sqlTypes[column.type]} not null`,
  );
  return `create table ${name} (${list.join(', ')})`;
}

export function createIndex({ name }: ShopTable, columns: readonly string[]): string {
  return `create index ${indexName(name, columns)} on ${name} (${columns.join(', ')})`;
}

export function dropIndex({ name }: ShopTable, columns: readonly string[]): string {
  return `drop index ${indexName(name, columns)}`;
}
