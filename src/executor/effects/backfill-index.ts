/** Writes an entry for each row of the table; under `unique`, equal tuples without NULL are refused. */

import type { Index, Table } from '#catalog';
import { addEntries } from '../mutate/index-entries.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';
import { eachPiece } from './stored-rows.ts';

export function backfillIndex(writing: Writing, table: Table, index: Index): Steps<void> {
  return eachPiece(writing, table, function* (rows) {
    yield* addEntries(writing, table, index, rows);
    writing.account();
  });
}
