/** Builds the client model of a catalog. */

import { type Catalog, type Column, columnById, schemaHash, type Table } from '#catalog';
import type { ClientModel, ModelColumn, ModelTable } from './client-model.ts';
import { relationsOf } from './relations.ts';

export function modelOf(catalog: Catalog, version: number): ClientModel {
  const tables = [...catalog.tables].sort((left, right) => left.id - right.id);
  const models = tables.map((table): ModelTable => {
    const { id, name, columns, primaryKey, indexes } = table;
    const unique = indexes.filter((index) => index.unique).map((index) => index.columns);
    return {
      id,
      name,
      columns: columns.map((column) => columnOf(tables, table, column)),
      keys: [primaryKey, ...unique].map((key) => key.map((column) => positionOf(table, column))),
      relations: relationsOf(tables, table),
    };
  });
  return { version, hash: schemaHash(catalog), tables: models };
}

function columnOf(tables: readonly Table[], table: Table, column: Column): ModelColumn {
  const { id, name, type, format, identifierFormat, nullable } = column;
  const isGenerated = column.default?.kind === 'generator';
  return {
    id,
    name,
    type,
    format,
    identifierFormat,
    nullable,
    hasDefault: column.default !== undefined,
    isCounted: isGenerated && column.default.func === 'increment',
    identity: identityOf(tables, table, id),
  };
}

/**
 * Returns the primary-key column that a column identifies, by following foreign keys of one column. Foreign keys can form a circle. The search then ends at the
 * first column that occurs again.
 */
function identityOf(tables: readonly Table[], from: Table, columnId: number) {
  const seen = new Set<string>();
  let table = from;
  let id = columnId;
  for (;;) {
    const place = `${table.id} ${id}`;
    const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === id);
    const isOwn = table.primaryKey.length === 1 && table.primaryKey[0] === id;
    if (key === undefined || seen.has(place)) {
      return isOwn ? { table: tables.indexOf(table), column: positionOf(table, id) } : undefined;
    }
    seen.add(place);
    table = tables.find((other) => other.id === key.refTable) as Table;
    id = key.refColumns[0] as number;
  }
}

function positionOf(table: Table, columnId: number): number {
  return table.columns.indexOf(columnById(table, columnId) as Column);
}
