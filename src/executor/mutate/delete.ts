/** Deletes rows: removes the targets, then runs the actions of the foreign keys that reference them. Returns the removed rows, in input order. */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { Row } from '#value';
import type { RowStore } from '../batch/row-store.ts';
import type { MutationContext } from './mutation-context.ts';
import { runCascadeRounds } from './on-delete/cascade-rounds.ts';
import { findTargets } from './targets.ts';

export function* deleteRows(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<readonly Row[]> {
  const targets = yield* findTargets(mutationContext, table, columnIndexes, input);
  yield* runCascadeRounds(mutationContext, table, targets);
  return targets.rows;
}
