/** Lists of rows that operators read until their statement ends, in several runs. */

import type { DatumType } from '#value';
import type { OperatorProfile } from '../operator-profile.ts';
import { RowList } from '../spill/row-list.ts';
import type { QueryRun } from './operator.ts';

/** Returns a list that is cleared at the end of the statement. */
export function statementList(
  types: readonly DatumType[],
  run: QueryRun,
  site: OperatorProfile,
): RowList {
  const list = new RowList(types, run.memory, site);
  run.lists.push(list);
  return list;
}
