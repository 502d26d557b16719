/** Removes what has no meaning any more, piece by piece; a piece and its progress are one commit (migration.md §13). */

import { afterKey } from '#base';
import {
  decodeReclamation,
  encodeReclamation,
  type Reclamation,
  rangesOfPhysicalId,
  reclamationKey,
  reclamationRange,
  type Table,
  tableById,
  tableLayout,
} from '#catalog';
import type { Transaction } from '#storage';
import type { TransitionHost } from './host.ts';
import { eachEntry, keyUnder, readValue } from './reading.ts';
import { rewriteWithout } from './rewrite-rows.ts';

/** Keys that one step deletes. */
const batchKeys = 1024;

/** The physical ids that something is left under. */
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

/** One step; `done` when nothing is left. */
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
    const table = reclamation.kind === 'column' ? tableById(catalog, reclamation.table) : undefined;
    const left = await work(transaction, reclamation, table);
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

/** What is still to be done after this piece. */
async function work(
  transaction: Transaction,
  reclamation: Reclamation,
  table: Table | undefined,
): Promise<Reclamation | undefined> {
  if (await removeSome(transaction, reclamation.physicalId)) return reclamation;
  if (reclamation.kind === 'ranges' || table === undefined) return undefined;
  const { cursor } = reclamation;
  const { to, from } = tableLayout(table).range;
  const start = cursor === undefined ? from : afterKey(Uint8Array.fromHex(cursor));
  const range = { from: start, to };
  const last = await rewriteWithout(transaction, table, range, reclamation.physicalId);
  return last && { ...reclamation, cursor: last.toHex() };
}

/** Deletes up to a batch of keys; whether it found a whole one. */
async function removeSome(transaction: Transaction, physicalId: number): Promise<boolean> {
  const keys: Uint8Array[] = [];
  for (const range of rangesOfPhysicalId(physicalId)) {
    await eachEntry(transaction, range, (cursor) => {
      keys.push(keyUnder(cursor));
      return keys.length < batchKeys;
    });
    if (keys.length >= batchKeys) break;
  }
  for (const key of keys) transaction.delete(key);
  return keys.length >= batchKeys;
}
