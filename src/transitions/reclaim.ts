/** Removes the cells of dropped columns, chunk by chunk; a chunk and its progress are one commit (docs/migrations.md). */

import { afterKey } from '#base';
import {
  decodeReclamation,
  encodeReclamation,
  type Reclamation,
  reclamationKey,
  reclamationRange,
  sameRowsKey,
  type Table,
  tableById,
} from '#catalog';
import { tableLayout } from '#layout';
import { eachEntry, readValue, type Transaction } from '#storage';
import type { TransitionHost } from './host.ts';
import { rewriteWithout } from './rewrite-rows.ts';

const noValue = new Uint8Array(0);

/** Returns the physical ids of dropped columns whose cells are still stored. */
export async function openReclamations(host: TransitionHost): Promise<readonly number[]> {
  const snapshot = host.store.snapshot();
  const ids: number[] = [];
  try {
    await eachEntry(snapshot, reclamationRange, (cursor) => {
      const bytes = cursor.value.slice(cursor.valueFrom, cursor.valueTo);
      ids.push(decodeReclamation(bytes).physicalId);
      return true;
    });
  } finally {
    snapshot.release();
  }
  return ids;
}

/** Runs one step; returns `done` if no work is left. */
export async function reclaim(
  host: TransitionHost,
  physicalId: number,
): Promise<'advanced' | 'contended' | 'done'> {
  const { catalog } = host;
  const transaction = host.store.begin();
  const key = reclamationKey(physicalId);
  try {
    const stored = await readValue(transaction, key);
    if (stored === undefined) return 'done';
    const reclamation = decodeReclamation(stored);
    const table = tableById(catalog, reclamation.table);
    const left = table && (await work(transaction, reclamation, table));
    transaction.put(sameRowsKey, noValue);
    if (left === undefined) transaction.delete(key);
    else transaction.put(key, encodeReclamation(left));
    const outcome = await host.commit(
      transaction,
      undefined,
      () => table === undefined || tableById(host.catalog, table.id) === table,
    );
    if (outcome.kind === 'unknown') throw outcome.cause;
    if (outcome.kind === 'conflict') return 'contended';
    return left === undefined ? 'done' : 'advanced';
  } finally {
    transaction.release();
  }
}

/** Returns the reclamation that remains after this chunk; undefined if it is complete. */
async function work(
  transaction: Transaction,
  reclamation: Reclamation,
  table: Table,
): Promise<Reclamation | undefined> {
  const { cursor, physicalId } = reclamation;
  const { to, from } = tableLayout(table).range;
  const start = cursor === undefined ? from : afterKey(Uint8Array.fromHex(cursor));
  const last = await rewriteWithout(transaction, table, { from: start, to }, physicalId);
  return last && { ...reclamation, cursor: last.toHex() };
}
