/** The foreign keys that point at a table. */

import { type Catalog, type ForeignKey, type Table, writeProtocol } from '#catalog';

interface Inbound {
  /** The referencing table. */
  readonly child: Table;
  readonly foreignKey: ForeignKey;
}

const known = new WeakMap<readonly Table[], ReadonlyMap<number, readonly Inbound[]>>();

export function inboundOf(catalog: Catalog, tableId: number): readonly Inbound[] {
  let byTable = known.get(catalog.tables);
  if (byTable === undefined) {
    byTable = collect(catalog.tables);
    known.set(catalog.tables, byTable);
  }
  return byTable.get(tableId) ?? [];
}

function collect(tables: readonly Table[]): ReadonlyMap<number, readonly Inbound[]> {
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
