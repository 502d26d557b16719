/** Ends a transition as published, failed or cancelled, and schedules the reclamation of the data that it leaves. */

import {
  type Catalog,
  type Column,
  columnsOf,
  type EndState,
  encodeReclamation,
  endTransition,
  type LiveTransition,
  physicalIdOf,
  publishTransition,
  type Reclamation,
  rangesOfPhysicalId,
  reclamationKey,
  type TransitionRecord,
} from '#catalog';
import { violationRange } from '#layout';
import type { Transaction } from '#storage';
import type { StepCommit, Stepping } from './stepping.ts';
import { violationText } from './violations.ts';

/**
 * Decides on the violations that were found: publishes the transition if none remains, else fails it. No writer can add violations, because the
 * write gate is closed.
 */
export async function conclude(stepping: Stepping): Promise<StepCommit> {
  const violation = await violationText(stepping);
  if (violation !== undefined) return endAs(stepping, 'failed', violation);
  const { catalog, record, transition, transaction, table } = stepping;
  const after = publishTransition(catalog, record.id);
  transaction.dropRange(violationRange(physicalIdOf(transition)));
  if (transition.kind === 'column_replacement') {
    const [{ physicalId }] = columnsOf(table, [transition.column]) as [Column];
    schedule(transaction, { physicalId, table: table.id });
  }
  return { record: withoutDetail(record, { state: 'ready' }), after };
}

/** Ends the transition without a result. The data that it has built is left to reclamation, and its owner loses it. */
export function endAs(
  { catalog, table, transition, transaction, record }: Ending,
  state: Exclude<EndState, 'ready'>,
  lastError: string | undefined,
): StepCommit {
  const physicalId = physicalIdOf(transition);
  if (transition.state !== 'waiting') {
    for (const range of rangesOfPhysicalId(physicalId)) transaction.dropRange(range);
    if (transition.kind === 'column_replacement') {
      schedule(transaction, { physicalId, table: table.id });
    }
  }
  const after = endTransition(catalog, record.id, state);
  const epoch = record.epoch + 1;
  return { record: withoutDetail(record, { state, epoch, lastError }), after };
}

interface Ending extends LiveTransition {
  readonly catalog: Catalog;
  readonly transaction: Transaction;
  readonly record: TransitionRecord;
}

type RecordEnd = Partial<Pick<TransitionRecord, 'epoch'>> &
  Pick<TransitionRecord, 'state'> & { readonly lastError?: string | undefined };

/** Drops the cursor and the earlier error; identity, counters and the given cause stay. */
function withoutDetail(
  record: TransitionRecord,
  { lastError, ...end }: RecordEnd,
): TransitionRecord {
  const { cursor: _cursor, lastError: _earlier, ...rest } = record;
  return { ...rest, ...end, ...(lastError !== undefined && { lastError }) };
}

function schedule(transaction: Transaction, reclamation: Reclamation): void {
  transaction.put(reclamationKey(reclamation.physicalId), encodeReclamation(reclamation));
}
