/** The loaded store: made once by the executable itself, then copied for each attack. */

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../programs/data.ts';
import { scratchDirectory } from './at-exit.ts';
import { startServer } from './server.ts';

export interface Store {
  readonly binary: string;
  readonly rows: number;
  /** A directory of its own with a copy of the store as `data`. */
  copy(): string;
}

/** Loads it, unless `kept` has one from an earlier run; `kept` keeps it. */
export async function openStore(binary: string, rows: number, kept?: string): Promise<Store> {
  const directory = kept ?? scratchDirectory();
  const data = join(directory, 'data');
  if (!existsSync(data)) await build(binary, rows, directory);
  const copy = () => {
    const target = scratchDirectory();
    cpSync(data, join(target, 'data'), { recursive: true });
    return target;
  };
  return { binary, rows, copy };
}

async function build(binary: string, rows: number, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const server = await startServer({ binary, directory });
  await load(server.port, rows);
  // Merges that the load has left behind would disturb the first attacks.
  await Bun.sleep(3000);
  const stopped = await server.stop(60_000);
  if (stopped?.code !== 0) throw new Error(`the loaded server did not stop: ${server.log()}`);
}
