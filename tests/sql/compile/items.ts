/** A table for tests of the compiler. */

import type { SqlSession } from '../support/run-sql.ts';

const columns = [
  { name: 'id', type: 'int64', format: 'int4' },
  { name: 'name', type: 'text' },
  { name: 'qty', type: 'int64', nullable: true, format: 'int2' },
  { name: 'price', type: 'float64', nullable: true },
  { name: 'active', type: 'bool', nullable: true },
];

const rows = [
  ['1', 'apple', '5', '0.5', 'true'],
  ['2', 'bolt', null, '2.25', 'false'],
  ['3', 'cup', '7', null, null],
];

export async function createItems(session: SqlSession): Promise<void> {
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns: columns.map(cellColumn), rows } },
    root: { node: 'r', cardinality: 'many' },
  };
  await session.program(
    { kind: 'create_table', name: 'a', table: { name: 'item', columns, primary_key: ['id'] } },
    { kind: 'create', name: 'b', table: 'item', relation },
  );
}

function cellColumn({ name, type, nullable = false }: (typeof columns)[number]) {
  return { name, type, nullable };
}
