/** Sets the foreign key of rows that refer to removed rows to NULL. */

import type { Steps } from '#base';
import { columnOrdinal } from '#catalog';
import type { Row } from '#value';
import type { RowList } from '../../spill/row-list.ts';
import type { MutationContext } from '../mutation-context.ts';
import { clearingChange, replaceRows } from '../row-change.ts';
import { UniqueEntries } from '../unique-entries.ts';
import { eachReferring, type Reference } from './referring.ts';

/** Changes the rows that refer to a removed row. `removed` contains the primary keys of the removed rows. */
export function* setNull(
  mutationContext: MutationContext,
  reference: Reference,
  removed: RowList,
): Steps<void> {
  const { child, foreignKey } = reference;
  const change = clearingChange(child, new Set(foreignKey.columns));
  const ordinals = foreignKey.columns.map((id) => columnOrdinal(child, id));
  const unique = new UniqueEntries(mutationContext, 0);
  yield* eachReferring(mutationContext, reference, removed, function* (before) {
    const after: Row[] = [];
    mutationContext.holdArrays(before.rows.length, child.columns.length);
    for (const row of before.rows) {
      after.push(row.map((value, ordinal) => (ordinals.includes(ordinal) ? null : value)));
    }
    yield* replaceRows(mutationContext, change, { before, after }, unique);
    yield* mutationContext.relieve();
    return true;
  });
  yield* unique.finish(noNumber);
}

function* noNumber(): Steps<undefined> {}
