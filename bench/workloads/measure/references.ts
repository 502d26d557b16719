/** The databases that svc is compared with, empty and open. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { writeCsv } from '../engines/csv.ts';
import { duckdb } from '../engines/duckdb.ts';
import type { Engine } from '../engines/engine.ts';
import { postgres } from '../engines/postgres.ts';
import { sqlite } from '../engines/sqlite.ts';
import type { Dialect } from '../question.ts';
import type { SizePlan } from './size.ts';

const openers: Readonly<Record<Dialect, (directory: string) => Promise<Engine>>> = {
  sqlite: async (directory) => sqlite(join(mkdtempSync(join(directory, 'sqlite-')), 'data')),
  duckdb,
  postgres,
};

/** A reference that cannot run on this machine is left out, with a line that says why. */
export async function openReferences(
  plan: Pick<SizePlan, 'directory' | 'engines' | 'workload' | 'print'>,
): Promise<readonly Engine[]> {
  const { directory, engines, workload, print } = plan;
  if (engines.some((name) => name === 'duckdb' || name === 'postgres')) {
    await writeCsv(directory, workload.tables);
  }
  const opened: Engine[] = [];
  for (const name of engines) {
    if (name === 'svc') continue;
    try {
      opened.push(await openers[name](directory));
    } catch (error) {
      print(`${name} is left out: ${error instanceof Error ? error.message : error}`);
    }
  }
  return opened;
}
