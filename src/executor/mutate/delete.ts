/** Deletes rows: removes the targets, then runs the actions of the foreign keys that reference them. */

import type { Steps } from '#base';
import { inboundOf, type Table } from '#catalog';
import type { MutationPolicies } from '#planner';
import type { NumberedRows } from './index-entries.ts';
import type { MutationContext } from './mutation-context.ts';
import { CascadeRound } from './on-delete/cascade-round.ts';
import { runCascadeRounds } from './on-delete/cascade-rounds.ts';
import { removeRows, rowChange } from './row-change.ts';
import type { NamedRows } from './target-keys.ts';
import { eachTargetOfKeys, type RowSink, rowNumber, testedAhead } from './targets.ts';

/** Passes the removed rows to `written`. */
export function* deleteRows(
  mutationContext: MutationContext,
  named: NamedRows,
  written: RowSink,
  policies: MutationPolicies,
): Steps<void> {
  const { table } = named;
  const change = rowChange(table);
  const isReferenced = inboundOf(mutationContext.catalog, table.id).length > 0;
  const round = new CascadeRound();
  const left = yield* testedAhead(mutationContext, named, policies, nothingMore);
  const tested = { ...named, policy: left.before };
  yield* eachTargetOfKeys(mutationContext, tested, function* (targets) {
    if (isReferenced) yield* round.remove(mutationContext, table, targets);
    else yield* removeRows(mutationContext, change, targets);
    yield* written(targets.rows);
  });
  yield* runCascadeRounds(mutationContext, round, function* (removedFrom, key) {
    return removedFrom.id === table.id ? yield* rowNumber(mutationContext, named, key) : undefined;
  });
}

/** A deleted row has to satisfy no more than the policy of stored rows. */
function* nothingMore(): Steps<void> {}

/** Removes the only row of a statement, which other tables reference. */
export function* deleteReferenced(
  mutationContext: MutationContext,
  table: Table,
  target: NumberedRows,
): Steps<void> {
  const round = new CascadeRound();
  yield* round.remove(mutationContext, table, target);
  // biome-ignore lint/correctness/useYield: the number is known.
  yield* runCascadeRounds(mutationContext, round, function* () {
    return 0;
  });
}
