/**
 * Repeats the statements of an open transaction after a lost race. The server repeats an ordinary program by itself, but the client of an open
 * transaction has seen answers. If all answers are the same on the newest state, the client would have sent the same statements, so the second run
 * is committed in place of the first one.
 */

import { DatabaseError } from '#failure';
import type { RequestContext } from '../admission/request-context.ts';
import { outcomeOf } from '../attempt.ts';
import { isPointProgram } from '../execution.ts';
import { isCurrentPlan } from '../prepared/current-plan.ts';
import { AnswerDigest } from './answer-digest.ts';
import { commitState } from './commit-state.ts';
import type { Open } from './open.ts';

/** Number of replays. The last one commits exclusively. */
const replaysMax = 2;

/** Commits the transaction by running its statements again. `conflict` means that an answer would differ, or that all replays lost a race. */
export async function replayAndCommit(
  open: Open,
  requestContext: RequestContext,
): Promise<'committed' | 'conflict'> {
  const { exclusive } = open.parts;
  for (let replay = 1; replay <= replaysMax; replay++) {
    requestContext.budget.check();
    const attempt = async () => {
      const isSame = await isRepeated(open, requestContext);
      return isSame ? commitState(open, requestContext) : 'differs';
    };
    const isLast = replay === replaysMax;
    const end = await (isLast ? exclusive.run(requestContext, attempt) : attempt()).catch(crowded);
    if (end === 'committed') return end;
    if (end === 'differs') break;
  }
  return 'conflict';
}

/** Runs the statements on the newest state. Returns false at the first answer that differs. */
async function isRepeated(open: Open, requestContext: RequestContext): Promise<boolean> {
  const statements = open.replayLog.logged ?? [];
  const { view, transaction, base, world } = open.renew();
  for (const { plan, digest } of statements) {
    if (!isCurrentPlan(plan, base)) return false;
    try {
      const slot = requestContext.enter(isPointProgram(plan));
      if (slot !== undefined) await slot;
      const answer = new AnswerDigest();
      const outcome = await outcomeOf(plan, requestContext, { view, transaction, world });
      if (answer.end(outcome) !== digest) return false;
    } catch (error) {
      requestContext.budget.check();
      if (error instanceof DatabaseError) return false;
      throw error;
    }
    open.account();
  }
  return true;
}

/** A server with too many waiting programs reports the lost race, after which the client tries again as well. */
function crowded(error: unknown): 'differs' {
  if (error instanceof DatabaseError && error.failure.reason === 'overloaded') return 'differs';
  throw error;
}
