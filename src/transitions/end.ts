/** How a transition ends: published, failed or cancelled; and what it leaves to be reclaimed. */

import { afterKey, decodeUtf8 } from '#base';
import {
  type Catalog,
  type Column,
  columnById,
  columnsOf,
  type EndState,
  encodeReclamation,
  endTransition,
  type ForeignKey,
  type LiveTransition,
  physicalIdOf,
  publishTransition,
  type Reclamation,
  rangesOfPhysicalId,
  reclamationKey,
  type TransitionRecord,
} from '#catalog';
import { rowKeyOfViolation, violationRange } from '#layout';
import type { KeyRange, Transaction } from '#storage';
import { isStillDangling } from './constraint-chunk.ts';
import { eachEntry, keyUnder } from './reading.ts';
import type { StepCommit, Stepping } from './stepping.ts';

/** What has been found is decided upon: published when nothing is left of it. No writer can add to it, because the gate is shut. */
export async function conclude(stepping: Stepping): Promise<StepCommit> {
  const violation = await firstViolation(stepping);
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

/** Ends it without a result: what it has made so far is left to be reclaimed, and its owner loses it. */
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

/** Working detail is dropped; identity, counters and the cause stay. */
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

/** Undefined when everything is as it should be. Which row it is stays unsaid: an administrator need not be allowed to see it. */
async function firstViolation(stepping: Stepping): Promise<string | undefined> {
  const { table, transition } = stepping;
  const cause = await firstCause(stepping);
  if (cause === undefined) return undefined;
  switch (transition.kind) {
    case 'index_build':
      return `cannot publish unique index "${transition.index.name}" of table "${table.name}": two rows have the same values`;
    case 'column_replacement': {
      const column = columnById(table, transition.column)?.name;
      return `cannot publish replacement for column "${column}" of table "${table.name}": row: ${cause}`;
    }
    case 'constraint_validation':
      return `cannot validate constraint "${transition.name}" of table "${table.name}": row: ${cause}`;
  }
}

async function firstCause(stepping: Stepping): Promise<string | undefined> {
  const { transaction, table, transition, catalog } = stepping;
  const range = violationRange(physicalIdOf(transition));
  for (let from: Uint8Array | undefined = range.from; from !== undefined; ) {
    const found = await firstEntry(transaction, { from, to: range.to });
    if (found === undefined) return undefined;
    const isForeignKey =
      transition.kind === 'constraint_validation' && transition.constraint.kind === 'foreign_key';
    if (!isForeignKey) return found.text;
    const validation = { ...transition, catalog, table };
    const { foreignKey } = transition.constraint as { readonly foreignKey: ForeignKey };
    const rowKey = rowKeyOfViolation(table, found.key);
    if (await isStillDangling(transaction, validation, foreignKey, rowKey)) return found.text;
    from = afterKey(found.key);
  }
  return undefined;
}

async function firstEntry(
  transaction: Transaction,
  range: KeyRange,
): Promise<{ readonly key: Uint8Array; readonly text: string } | undefined> {
  let found: { readonly key: Uint8Array; readonly text: string } | undefined;
  await eachEntry(transaction, range, (cursor) => {
    const text = decodeUtf8(cursor.value, cursor.valueFrom, cursor.valueTo);
    found = { key: keyUnder(cursor), text };
    return false;
  });
  return found;
}
