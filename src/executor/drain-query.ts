/** Runs the operators of a query until they are exhausted. */

import type { Pending, Steps } from '#base';
import type { QueryPlan } from '#planner';
import type { Batch } from './batch/batch.ts';
import { batchRowsMax } from './batch/vector.ts';
import type { MemoryReservation } from './memory.ts';
import type { OperatorProfile } from './operator-profile.ts';
import { buildLargeQuery, buildQuery, partsAtOnce } from './operators/build.ts';
import type { ProgramRun } from './program-run.ts';
import { appendTo, flushed } from './spill/list-rows.ts';
import type { RowList } from './spill/row-list.ts';

/** Receives the batches of a query; returns the bytes that it has in memory, or a wait before the next batch if it has none. */
type Sink = (batch: Batch) => number | Pending;

/**
 * Runs a query until it is exhausted and passes every batch to `sink`. The rows are also appended to the list that `listAt` returns for the
 * operator at the root of the query. Returns the counters of the operators.
 */
export function* drainQuery(
  plan: QueryPlan,
  run: ProgramRun,
  sink: Sink,
  listAt?: (site: OperatorProfile) => RowList,
): Steps<readonly OperatorProfile[]> {
  const query = run.startQuery(plan);
  const before = run.budget.pause(plan.parts);
  if (before !== undefined) yield before;
  const isSmall = plan.parts <= partsAtOnce;
  const root = isSmall ? buildQuery(plan, query) : yield* buildLargeQuery(plan, query, run.budget);
  const reservation: MemoryReservation = run.memory.reservation(root.site);
  const after = run.budget.pause(plan.parts);
  if (after !== undefined) yield after;
  const list = listAt?.(root.site);
  root.open();
  try {
    for (;;) {
      const batch = root.next(batchRowsMax);
      if (batch === undefined) break;
      if (batch instanceof Promise) {
        yield batch;
        continue;
      }
      const taken = sink(batch);
      if (taken instanceof Promise) yield taken;
      reservation.resize((taken instanceof Promise ? 0 : taken) + run.transactionBytes);
      if (list !== undefined) yield* appendTo(list, batch, (work) => run.budget.pause(work));
    }
    if (list !== undefined) yield* flushed(list);
    return query.sites;
  } finally {
    root.close();
  }
}
