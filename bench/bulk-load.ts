/** 100,000 rows through programs over HTTP against `bun:sqlite` in process: one transaction, one prepared statement. */

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measurement, pair } from './measure.ts';
import { startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { createItems, type ItemRow, itemRow } from './workload.ts';

const rows = 100_000;
const rowsPerProgram = 2_000;

export async function benchBulkLoad(isQuick: boolean): Promise<readonly Measurement[]> {
  const programs = Array.from({ length: rows / rowsPerProgram }, (_, i) =>
    createItems(i * rowsPerProgram, rowsPerProgram),
  );
  const data = Array.from({ length: rows }, (_, i) => itemRow(i));
  const name = `load of ${rows} rows through programs, against bun:sqlite in process`;
  const sides = { subject: () => loadSvc(programs), reference: async () => loadSqlite(data) };
  return [await pair(name, 0.08, isQuick ? 3 : 7, sides)];
}

/** Two programs are on the way at a time, so that neither side waits for the other. */
async function loadSvc(programs: readonly string[]): Promise<number> {
  await using svc = await startSvc();
  await createTable(svc.port);
  const started = performance.now();
  let at = 0;
  const client = async () => {
    while (at < programs.length) await send(svc.port, programs[at++] as string);
  };
  await Promise.all([client(), client()]);
  return rows / ((performance.now() - started) / 1000);
}

function loadSqlite(data: readonly ItemRow[]): number {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const database = new Database(join(directory, 'reference.sqlite'));
  database.run('pragma journal_mode = wal');
  database.run('pragma synchronous = full');
  database.run(
    'create table item (id integer primary key, name text not null, price real, stock integer, note text)',
  );
  const insert = database.prepare('insert into item values (?, ?, ?, ?, ?)');
  const started = performance.now();
  database.transaction(() => {
    for (const row of data) insert.run(...row);
  })();
  const seconds = (performance.now() - started) / 1000;
  database.close();
  rmSync(directory, { recursive: true, force: true });
  return rows / seconds;
}
