/** The loaded store: made once by the executable itself, then copied for each attack. */

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { untilQuiet } from '../gauge/quiet.ts';
import { load } from '../programs/data.ts';
import { scratchDirectory } from './at-exit.ts';
import { startServer } from './server.ts';

/** Longer than the time without a commit after which a store does what is due only for the sake of disk space. */
const restMs = 7000;

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
  // Merges that the load has left behind, and the flush that comes after 5 s without a commit, would fall into the attacks, in each copy again.
  await untilQuiet(server.pid, restMs);
  const stopped = await server.stop(60_000);
  if (stopped?.code !== 0) throw new Error(`the loaded server did not stop: ${server.log()}`);
}
