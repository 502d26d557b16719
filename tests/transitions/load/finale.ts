/** When nobody writes any more: the table, read in two ways, is the union of the models, and the store holds what its catalog says. */

import { systemWorld } from '#base';
import { type Table, writeProtocol } from '#catalog';
import { openEngine } from '#engine';
import { indexLayout, rowHoldsColumn, tableLayout } from '#layout';
import type { KeyRange, ReadView } from '#storage';
import { TransitionWorker } from '#transitions';
import type { Client } from './client.ts';
import { witnesses } from './conductor.ts';
import type { Law } from './law.ts';
import { span } from './partition.ts';
import { type Item, type Range, read } from './programs.ts';
import { compareItems } from './same-items.ts';
import type { Server } from './server.ts';

const pageIds = 2000;

/** The number of rows, by id and by the index on `stock`. */
export async function checkRows(
  server: Server,
  law: Law,
  clients: readonly Client[],
): Promise<number> {
  let rows = 0;
  const expect = async (range: Range, wanted: readonly Item[]) => {
    const program = { statements: [read(range)] };
    const answer = await server.ensure(program);
    const trouble = compareItems(law, law.codes, answer.result, wanted);
    if (trouble !== undefined) server.wrong(trouble, program, answer.text);
    rows += wanted.length;
  };
  const standing = witnesses.map((item) => (item.id === 2 ? { ...item, note: 1 } : item));
  await expect({ column: 'id', from: -span, to: span }, standing);
  for (const { own } of clients) {
    for (let from = own.base; from < own.endOfIds; from += pageIds) {
      await expect({ column: 'id', from, to: from + pageIds }, own.between(from, from + pageIds));
    }
    // What lies between its newest row and the next client's first one is nothing.
    await expect({ column: 'id', from: own.endOfIds, to: own.base + span }, []);
    const byStock = Map.groupBy(own.all(), ({ stock }) => stock);
    for (const [stock, items] of byStock) {
      if (stock % 8 === 0) await expect({ column: 'stock', from: stock }, items);
    }
  }
  return rows;
}

/** The same from inside, in a process that has it to itself: what is wrong, in words. */
export async function auditDirectory(path: string): Promise<readonly string[]> {
  const engine = await openEngine({
    storage: 'file',
    path,
    mode: 'direct',
    world: systemWorld(),
    tuning: {},
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'check',
    worksOnTransitions: false,
  });
  try {
    const worker = new TransitionWorker(engine['database']);
    while (await worker.round());
    const view = engine['database'].store.snapshot();
    try {
      const findings: string[] = [];
      for (const table of engine.catalog.tables) findings.push(...(await auditTable(view, table)));
      return findings;
    } finally {
      view.release();
    }
  } finally {
    await engine.close();
  }
}

/** Every index has exactly the entries that its rows would give it; no row has a cell of a column that is gone. */
async function auditTable(view: ReadView, table: Table): Promise<readonly string[]> {
  const layout = tableLayout(table);
  const reader = layout.reader();
  const indexes = table.indexes.map((index) => indexLayout(table, index));
  const wanted = indexes.map(() => new Digest());
  const known = new Set(table.columns.map(({ physicalId }) => physicalId));
  const strange = Array.from({ length: 64 }, (_, id) => id + 1).filter((id) => !known.has(id));
  let held = 0;
  await each(view, layout.range, (key, value) => {
    reader.open(key, 0, key.length, value, 0, value.length);
    const row = table.columns.map((_, ordinal) => reader.cell(ordinal));
    for (const [i, index] of indexes.entries()) {
      const entry = index.entry(row, key);
      wanted[i]?.add(entry.key, entry.value);
    }
    if (strange.some((id) => rowHoldsColumn(value, 0, id))) held++;
  });
  const findings: string[] = [];
  if (held > 0) findings.push(`${held} rows of ${table.name} hold cells of columns that are gone`);
  if (writeProtocol(table).building.length > 0) findings.push(`${table.name} is still indexed`);
  for (const [i, index] of indexes.entries()) {
    const actual = await digest(view, index.range);
    if (actual.text === wanted[i]?.text) continue;
    const counts = `${actual.count} entries for ${wanted[i]?.count} rows`;
    findings.push(`index ${index.index.name} differs from a fresh build: ${counts}`);
  }
  return findings;
}

/** Of entries in any order. */
class Digest {
  count = 0;
  private sum = 0n;

  add(key: Uint8Array, value: Uint8Array): void {
    this.count++;
    const of = Bun.hash(value, Bun.hash(key) as bigint) as bigint;
    this.sum = BigInt.asUintN(64, this.sum + of);
  }

  get text(): string {
    return `${this.count} ${this.sum}`;
  }
}

async function digest(view: ReadView, range: KeyRange): Promise<Digest> {
  const found = new Digest();
  await each(view, range, (key, value) => found.add(key, value));
  return found;
}

async function each(
  view: ReadView,
  range: KeyRange,
  visit: (key: Uint8Array, value: Uint8Array) => void,
): Promise<void> {
  const cursor = view.scan(range, 'forward');
  for (;;) {
    const step = cursor.next();
    if (step instanceof Promise) await step;
    else if (!step) break;
    else {
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      visit(key.slice(keyFrom, keyTo), value.slice(valueFrom, valueTo));
    }
  }
  cursor.close();
}
