/** Emits a table in Go: its row, new row, columns and scopes, and the variable that applications start from. */

import { emitColumns, emitRelation } from './columns.ts';
import { emitRows } from './rows.ts';
import { emitScopes } from './scopes.ts';
import { emitStarts } from './starts.ts';
import { emitStatements } from './statements.ts';
import { type Context, partsOf } from './table-parts.ts';

export function emitTable(context: Context, at: number): readonly string[] {
  const parts = partsOf(context, at);
  const { table, names } = parts;
  return [
    ...emitRows(parts),
    ...emitColumns(parts),
    ...table.relations.flatMap((relation, i) =>
      emitRelation(context, names, relation, names.relations[i] as string),
    ),
    ...emitScopes(parts),
    ...emitStarts(parts),
    ...emitStatements(parts),
  ];
}
