/** Executes a conditional query: computes its entity tag, and its rows if the client does not have the current result. */

import type { ProgramOutcome } from '#executor';
import type { ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import { isLightResult } from '#value';
import type { RequestContext } from './admission/request-context.ts';
import { refuseOvertaken } from './attempt.ts';
import type { Database } from './database.ts';
import { entityTagOf, pointTagOf, resultTagOf } from './entity-tag.ts';
import { release } from './release.ts';

interface Asked {
  readonly plan: ProgramPlan;
  /** Normalized text of the query (`queryText`). */
  readonly text: string;
  /** Whether the client needs the rows of the state with this tag. */
  readonly wanted: (entityTag: string) => boolean;
  /** Runs the plan on the newest state, or on a given snapshot, which is released at the end. */
  readonly read: (snapshot?: Snapshot) => ProgramOutcome | Promise<ProgramOutcome>;
}

interface Answered {
  /** `undefined` if policies restrict the query and its result is large. */
  readonly entityTag: string | undefined;
  /** Outcome of the execution; `undefined` if the client has the current result. */
  readonly outcome?: ProgramOutcome;
}

/**
 * Runs the query unless the client has its result. The tag and the rows belong to the same state, because nothing is
 * awaited between the tag and the snapshot.
 */
export async function answerUnlessKnown(
  database: Database,
  asked: Asked,
  requestContext: RequestContext,
): Promise<Answered> {
  const { store } = database;
  refuseOvertaken(store);
  const { plan, text, wanted, read } = asked;
  if (plan.isPoliced) return answerPoliced(database, asked);
  if (plan.pointLookups !== undefined) return answerPoint(database, asked, requestContext);
  const entityTag = entityTagOf(database, text, plan, requestContext.principal);
  if (wanted(entityTag)) return { entityTag, outcome: await read() };
  await store.durable(database.newestSequence);
  return { entityTag };
}

/**
 * Handles a query to which policies apply. The query is always executed, and its tag is a digest of its result: the tags of other queries change
 * with rows that the client must not know of.
 */
async function answerPoliced(database: Database, { text, wanted, read }: Asked): Promise<Answered> {
  const outcome = await read();
  const { result } = outcome;
  if (result !== undefined && !isLightResult(result.columns, result.rows)) {
    return { entityTag: undefined, outcome };
  }
  const entityTag = resultTagOf(database, text, result);
  return wanted(entityTag) ? { entityTag, outcome } : { entityTag };
}

/** Handles a query that reads only rows by their keys. */
async function answerPoint(
  database: Database,
  { plan, text, wanted, read }: Asked,
  requestContext: RequestContext,
): Promise<Answered> {
  const view = database.store.snapshot();
  let isHeld = true;
  try {
    const entityTag = await pointTagOf(database, text, plan, view, requestContext);
    if (!wanted(entityTag)) {
      await database.store.durable(view.sequence);
      return { entityTag };
    }
    isHeld = false;
    return { entityTag, outcome: await read(view) };
  } finally {
    if (isHeld) release(view, requestContext);
  }
}
