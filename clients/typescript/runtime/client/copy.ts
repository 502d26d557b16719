/** Many rows into a table, by several programs. */

import type { CallOptions } from './options.ts';
import type { Compiled, Runnable } from './seam.ts';

/** Rows of one program. */
const rowsMax = 1000;

/** Bytes of one program; servers take 4 MiB unless they were told otherwise. */
const bytesMax = 3 << 20;

export interface Insertable<in N> {
  insertMany(rows: readonly N[]): Runnable<unknown>;
}

/** The number of rows that were inserted. A failure leaves what the programs before have inserted. */
export async function copyRows<N>(
  table: Insertable<N>,
  rows: Iterable<N> | AsyncIterable<N>,
  compile: (runnable: Runnable<unknown>) => Compiled,
  run: (compiled: Compiled) => Promise<unknown>,
): Promise<number> {
  let count = 0;
  const insert = async (some: readonly N[]): Promise<void> => {
    if (some.length === 0) return;
    const compiled = compile(table.insertMany(some));
    const half = some.length >> 1;
    if (half > 0 && new TextEncoder().encode(compiled.body).length > bytesMax) {
      await insert(some.slice(0, half));
      return insert(some.slice(half));
    }
    await run(compiled);
    count += some.length;
  };
  let waiting: N[] = [];
  for await (const row of rows) {
    if (waiting.push(row) < rowsMax) continue;
    await insert(waiting);
    waiting = [];
  }
  await insert(waiting);
  return count;
}

export type CopyOptions = Omit<CallOptions, 'name'>;
