/** The foreign keys that reference a table. */

import type { Catalog, Table } from './table.ts';
import type { ForeignKey } from './table-parts.ts';
import { writeProtocol } from './transition/protocol.ts';

interface Inbound {
  /** The referencing table. */
  readonly child: Table;
  readonly foreignKey: ForeignKey;
}

const known = new WeakMap<Catalog['tables'], ReadonlyMap<number, readonly Inbound[]>>();

/** Returns the foreign keys that reference the table with schema id `tableId`, including those that transitions are validating. Every write must obey them. */
export function inboundOf({ tables }: Catalog, tableId: number): readonly Inbound[] {
  let byTable = known.get(tables);
  if (byTable === undefined) {
    byTable = collect(tables);
    known.set(tables, byTable);
  }
  return byTable.get(tableId) ?? [];
}

function collect(tables: Catalog['tables']): ReadonlyMap<number, readonly Inbound[]> {
  const byTable = new Map<number, Inbound[]>();
  for (const child of tables) {
    for (const foreignKey of writeProtocol(child).foreignKeys) {
      const list = byTable.get(foreignKey.refTable) ?? [];
      list.push({ child, foreignKey });
      byTable.set(foreignKey.refTable, list);
    }
  }
  return byTable;
}
