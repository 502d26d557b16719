/** CREATE INDEX. */

import type { IndexElem, IndexStmt } from 'libpg-query';
import { indexByName } from '#catalog';
import { stringOf } from '../statements/node.ts';
import type { CatalogProgram } from './catalog-program.ts';
import { defaultName } from './constraint.ts';
import { requireTable } from './table-name.ts';

export function createIndex(program: CatalogProgram, node: IndexStmt): void {
  requireSupported(program, node);
  const table = requireTable(program, node.relation ?? {});
  const elements = (node.indexParams ?? []).flatMap((one) =>
    'IndexElem' in one ? [one.IndexElem] : [],
  );
  const columns = elements.map((element) => columnOf(program, element));
  for (const name of columns) {
    if (table.columns.some((column) => column.name === name)) continue;
    throw program.error('42703', `column "${name}" does not exist`);
  }
  const name = node.idxname ?? freeName(program, defaultName(table, columns, 'idx'));
  if (isTaken(program, name)) {
    const text = `relation "${name}" already exists`;
    if (!node.if_not_exists) throw program.error('42P07', text);
    program.notice('42P07', `${text}, skipping`);
    return;
  }
  const index = { name, columns, ...(node.unique && { unique: true }) };
  program.add({ kind: 'create_index', table_id: table.id, index });
}

/** Index names are unique among all tables, so that DROP INDEX finds one. */
function isTaken(program: CatalogProgram, name: string): boolean {
  return program.setting.catalog.tables.some((table) => indexByName(table, name) !== undefined);
}

function freeName(program: CatalogProgram, wanted: string): string {
  let name = wanted;
  for (let number = 1; isTaken(program, name); number++) name = `${wanted}${number}`;
  return name;
}

const textClasses = new Set(['text_pattern_ops', 'varchar_pattern_ops', 'bpchar_pattern_ops']);
const defaultClass =
  /^(?:int[248]|text|varchar|bpchar|uuid|bool|bytea|date|float[48]|name|timestamp|timestamptz|oid)_ops$/;

/** The order of an index has no effect: each index can be read in both directions. */
function columnOf(program: CatalogProgram, element: IndexElem): string {
  if (element.name === undefined) {
    throw program.unsupported('an index of an expression', 'Index a column.');
  }
  const operators = stringOf(element.opclass?.at(-1));
  if (operators !== undefined && !textClasses.has(operators) && !defaultClass.test(operators)) {
    throw program.unsupported(`the operator class ${operators}`, 'Leave it out.');
  }
  const collation = stringOf(element.collation?.at(-1));
  if (collation !== undefined && !['C', 'POSIX', 'default'].includes(collation)) {
    throw program.unsupported(`the collation "${collation}"`, 'Use COLLATE "C".');
  }
  return element.name;
}

function requireSupported(program: CatalogProgram, node: IndexStmt): void {
  const { accessMethod = 'btree', whereClause, indexIncludingParams = [] } = node;
  if (accessMethod !== 'btree') {
    throw program.unsupported(`an index of type ${accessMethod}`, 'Leave out USING.');
  }
  if (whereClause !== undefined) {
    throw program.unsupported('a partial index', 'Leave out WHERE to index all rows.');
  }
  if (indexIncludingParams.length > 0) {
    throw program.unsupported('INCLUDE', 'Add the columns to the index.');
  }
  if (node.nulls_not_distinct) throw program.unsupported('NULLS NOT DISTINCT');
}
