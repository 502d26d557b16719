/** A query whose client may have the answer already: its entity tag, and its rows where they are wanted. */

import type { ProgramOutcome } from '#executor';
import type { ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import type { Ticket } from './admission/ticket.ts';
import { refuseOvertaken } from './attempt.ts';
import type { Database } from './database.ts';
import { entityTagOf, pointTagOf } from './entity-tag.ts';
import { release } from './release.ts';

interface Asked {
  readonly plan: ProgramPlan;
  /** `queryText` of the query. */
  readonly text: string;
  /** Whether the client wants the rows of the state with this tag. */
  readonly wanted: (entityTag: string) => boolean;
  /** Runs the plan, in the newest state or one that was taken, which is let go of at the end. */
  readonly read: (snapshot?: Snapshot) => ProgramOutcome | Promise<ProgramOutcome>;
}

interface Answered {
  readonly entityTag: string;
  /** Undefined: the client has the answer. */
  readonly outcome?: ProgramOutcome;
}

/** The tag and the rows are of one state: from here to the snapshot nothing is waited for. */
export async function answerUnlessKnown(
  database: Database,
  asked: Asked,
  ticket: Ticket,
): Promise<Answered> {
  const { store } = database;
  refuseOvertaken(store);
  const { plan, text, wanted, read } = asked;
  if (plan.pointLookups !== undefined) return answerPoint(database, asked, ticket);
  const entityTag = entityTagOf(database, text, plan, ticket.principal);
  if (wanted(entityTag)) return { entityTag, outcome: await read() };
  await store.durable(database.newestSequence);
  return { entityTag };
}

/** Of a query that reads nothing but the rows that it looks for by key. */
async function answerPoint(
  database: Database,
  { plan, text, wanted, read }: Asked,
  ticket: Ticket,
): Promise<Answered> {
  const view = database.store.snapshot();
  let isHeld = true;
  try {
    const entityTag = await pointTagOf(database, text, plan, view, ticket);
    if (!wanted(entityTag)) {
      await database.store.durable(view.sequence);
      return { entityTag };
    }
    isHeld = false;
    return { entityTag, outcome: await read(view) };
  } finally {
    if (isHeld) release(view, ticket);
  }
}
