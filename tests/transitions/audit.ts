/** Whether the store holds what its catalog says: every index exactly the entries that a fresh build would make, no row a cell too many. */

import { type Catalog, liveTransitions, type Table, writeProtocol } from '#catalog';
import type { Engine } from '#engine';
import { indexLayout, rowHoldsColumn, tableLayout } from '#layout';
import type { KeyRange, ReadView } from '#storage';
import type { Row } from '#value';

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** What is wrong, in words; empty when all is well. */
export async function audit(engine: Engine): Promise<readonly string[]> {
  const { store, catalog } = engine['database'];
  const snapshot = store.snapshot();
  try {
    const findings: string[] = [];
    for (const table of catalog.tables) findings.push(...(await auditTable(snapshot, table)));
    return [...findings, ...auditCatalog(catalog)];
  } finally {
    snapshot.release();
  }
}

function auditCatalog(catalog: Catalog): readonly string[] {
  return liveTransitions(catalog).map(
    ({ transition }) => `tr${transition.id} is ${transition.state}`,
  );
}

async function auditTable(view: ReadView, table: Table): Promise<readonly string[]> {
  const stored = await entriesOf(view, tableLayout(table).range);
  const rows = stored.map(({ key, value }) => rowOf(table, key, value));
  const findings: string[] = [];
  for (const index of table.indexes) {
    const layout = indexLayout(table, index);
    const wanted = rows.map((row, i) => layout.entry(row, (stored[i] as Entry).key));
    const actual = await entriesOf(view, layout.range);
    if (textOf(wanted) !== textOf(actual)) {
      const counts = `${actual.length} entries for ${wanted.length} rows`;
      findings.push(`index ${index.name} of ${table.name} differs from a fresh build: ${counts}`);
    }
  }
  const known = [...table.columns, ...writeProtocol(table).shadows.map(({ target }) => target)];
  for (const { value } of stored) {
    for (let id = 1; id < 100; id++) {
      if (known.some(({ physicalId }) => physicalId === id)) continue;
      if (rowHoldsColumn(value, 0, id)) findings.push(`a row of ${table.name} has cells of ${id}`);
    }
  }
  return findings;
}

/** All rows of a table in catalog order, by key. */
export async function storedRows(engine: Engine, table: Table): Promise<readonly Row[]> {
  const snapshot = engine['database'].store.snapshot();
  try {
    const stored = await entriesOf(snapshot, tableLayout(table).range);
    return stored.map(({ key, value }) => rowOf(table, key, value));
  } finally {
    snapshot.release();
  }
}

function rowOf(table: Table, key: Uint8Array, value: Uint8Array): Row {
  const reader = tableLayout(table).reader();
  reader.open(key, 0, key.length, value, 0, value.length);
  return table.columns.map((_, ordinal) => reader.cell(ordinal));
}

async function entriesOf(view: ReadView, range: KeyRange): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const cursor = view.scan(range, 'forward');
  for (;;) {
    const step = cursor.next();
    if (step instanceof Promise) {
      await step;
      continue;
    }
    if (!step) break;
    entries.push({
      key: cursor.key.slice(cursor.keyFrom, cursor.keyTo),
      value: cursor.value.slice(cursor.valueFrom, cursor.valueTo),
    });
  }
  cursor.close();
  return entries;
}

function textOf(entries: readonly Entry[]): string {
  return entries
    .map(({ key, value }) => `${key.toHex()}=${value.toHex()}`)
    .sort()
    .join('\n');
}
