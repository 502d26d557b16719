/** The rows of a table as a CSV file, for the databases that load files. */

import { existsSync } from 'node:fs';
import type { ShopTable } from '../tables.ts';

const rowsPerWrite = 10_000;

export function csvPath(directory: string, { name }: ShopTable): string {
  return `${directory}/${name}.csv`;
}

/** Writes each table once. */
export async function writeCsv(directory: string, tables: readonly ShopTable[]): Promise<void> {
  for (const table of tables) {
    const path = csvPath(directory, table);
    if (existsSync(path)) continue;
    const file = Bun.file(path).writer();
    for (let from = 0; from < table.count; from += rowsPerWrite) {
      file.write(linesOf(table, from, Math.min(table.count, from + rowsPerWrite)));
      await file.flush();
    }
    await file.end();
  }
}

function linesOf({ row }: ShopTable, from: number, to: number): string {
  const lines: string[] = [];
  for (let id = from; id < to; id++) {
    const cells = row(id).map((cell) => (typeof cell === 'number' ? cell : quoted(cell)));
    lines.push(cells.join(','));
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
