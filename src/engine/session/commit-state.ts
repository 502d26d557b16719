/** The commit of the writes that an open transaction holds. */

import { invariant } from '#base';
import type { CommitOutcome } from '#storage';
import type { RequestContext } from '../admission/request-context.ts';
import { endedWrites, isCommitted, requireAdmitted, staysUntilCommitted } from '../attempt.ts';
import type { Open } from './open.ts';

/** Commits the writes of the state that is held. */
export async function commitState(
  open: Open,
  requestContext: RequestContext,
): Promise<'committed' | 'conflict'> {
  const { held, draft } = open;
  invariant(held?.transaction !== undefined, 'only a transaction that may write is committed');
  const { transaction, base } = held;
  const isMoved = draft.catalog !== base;
  if (transaction.isEmpty && !isMoved) return decided(await transaction.commit());
  const { database } = open.parts;
  if (database.hasEndedWrites) throw endedWrites();
  requireAdmitted(database, requestContext);
  const { catalog: catalogAfter, statements } = draft;
  const change = { catalog: base, catalogAfter, statements };
  const catalog = await database.writeCatalog(change, transaction, requestContext.budget);
  const isCurrent = () =>
    isMoved ? database.catalog === base : open.basis.isCurrent(base, database.catalog);
  const committing = transaction.commit({
    validate: () =>
      !database.hasEndedWrites &&
      isCurrent() &&
      database.admits(requestContext.principal) &&
      staysUntilCommitted(requestContext.budget),
    applied: (sequence) => database.applied(catalog, sequence),
  });
  requestContext.leave();
  const outcome = decided(await requestContext.budget.wait(committing));
  if (outcome === 'conflict' && database.hasEndedWrites) throw endedWrites();
  if (outcome === 'conflict') requireAdmitted(database, requestContext);
  if (outcome === 'committed') tellChanges(open);
  return outcome;
}

function decided(outcome: CommitOutcome): 'committed' | 'conflict' {
  return isCommitted(outcome) ? 'committed' : 'conflict';
}

/** Waits for the end of an exclusive commit, then for the storage. */
export async function stand({ parts }: Open, requestContext: RequestContext): Promise<void> {
  const turn = parts.exclusive.pass(requestContext);
  if (turn !== undefined) await turn;
  const pressure = parts.database.store.admitWrite();
  if (pressure === undefined) return;
  await parts.admission.pressed.wait(() => requestContext.budget.until(pressure));
}

function tellChanges({ parts, draft }: Open): void {
  for (const [table, rows] of draft.changed) parts.database.surveys?.changed(table, rows);
}
