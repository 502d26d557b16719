/** The commit of an open transaction. */

import type { RequestContext } from '../admission/request-context.ts';
import { commitState, stand } from './commit-state.ts';
import type { Open } from './open.ts';
import { replayAndCommit } from './replay.ts';

/** Commits the transaction. Without writes nothing is checked, because all reads belong to one state. */
export async function commitOn(
  open: Open,
  requestContext: RequestContext,
): Promise<'committed' | 'conflict'> {
  const { held, draft } = open;
  if (held?.transaction === undefined) return 'committed';
  const { transaction, base } = held;
  if (transaction.isEmpty && draft.catalog === base) return commitState(open, requestContext);
  await stand(open, requestContext);
  const outcome = await commitState(open, requestContext);
  const isLost = outcome === 'conflict' && open.replayLog.logged !== undefined;
  return isLost ? replayAndCommit(open, requestContext) : outcome;
}
