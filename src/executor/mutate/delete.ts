/** Deletes rows: removes the targets, then runs the actions of the foreign keys that reference them. Returns the removed rows, in input order. */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { Row } from '#value';
import type { RowStore } from '../batch/row-store.ts';
import { runWaves } from './on-delete/waves.ts';
import { findTargets } from './targets.ts';
import type { Writing } from './writing.ts';

export function* deleteRows(
  writing: Writing,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<readonly Row[]> {
  const targets = yield* findTargets(writing, table, columnIndexes, input);
  yield* runWaves(writing, table, targets);
  return targets.rows;
}
