/** RETURNING: a query of the rows that the statement has changed. */

import type { ReturningClause } from 'libpg-query';
import { childScope, emptyScope, type ScopeColumn, type ScopeTable } from '../scope/scope.ts';
import { binary, column, hasCrossing, joined } from './build.ts';
import { settled } from './coerce.ts';
import type { Compilation } from './compilation.ts';
import type { Paired } from './paired-rows.ts';
import { targetsOf } from './targets.ts';
import { manyRows, readResult, readResults, type WriteProgram } from './write-program.ts';
import { field, scopeTableOf, type Target } from './write-target.ts';

/** Adds the query to a program. `paired` is the statement with the rows of FROM or USING. */
export function returning(
  compilation: Compilation,
  program: WriteProgram,
  target: Target,
  clause: ReturningClause | undefined,
  paired?: Paired,
): WriteProgram {
  if (clause === undefined) return program;
  if (clause.options !== undefined) {
    throw compilation.unsupported('RETURNING WITH', undefined);
  }
  const names = target.table.columns.map(({ name }) => name);
  const { node: changed, scope } = readResults(compilation, program.counted, names);
  const own = scopeTableOf(target, scope);
  const joinedRows = paired && withPartner(compilation, target, { node: changed, scope }, paired);
  const tables = [own, ...(joinedRows?.tables ?? [])];
  const columns = [...own.columns, ...(joinedRows?.columns ?? [])];
  const env = {
    compilation,
    scope: childScope(emptyScope, { tables, columns }),
    clause: 'RETURNING',
  };
  const outputs = targetsOf(env, clause.exprs ?? []);
  const typed = outputs.map(({ operand }) => settled(compilation, operand));
  if (typed.some(({ expr }) => hasCrossing(expr))) {
    const hint = 'Send the query after the statement, in the same transaction.';
    throw compilation.unsupported('a subquery in RETURNING', undefined, hint);
  }
  const fields = typed.map(({ expr }, i) => field(`c${i + 1}`, expr));
  const input = joinedRows?.node ?? changed;
  const node = compilation.node({ kind: 'project', input, fields });
  const name = compilation.name('w');
  const isOrdered =
    paired === undefined && program.statements.every(({ kind }) => kind === 'create');
  const root = { node, cardinality: 'many' } as const;
  const isSequence = isOrdered && program.counted.length === 1;
  const relation = compilation.take(isSequence ? root : manyRows(node));
  return {
    ...program,
    statements: [...program.statements, { kind: 'query', name, relation }],
    returned: {
      name,
      columns: typed.map(({ type, tableId, columnId }, i) => {
        const shape = { kind: 'scalar' } as const;
        return { name: outputs[i]?.name ?? '', type, shape, tableId, columnId };
      }),
    },
  };
}

/** Joins the changed rows with the rows of FROM or USING by the key of the table. */
function withPartner(
  compilation: Compilation,
  { key }: Target,
  changed: { readonly node: string; readonly scope: string },
  { statement, names, partner, partnerNames }: Paired,
): { node: string; tables: readonly ScopeTable[]; columns: readonly ScopeColumn[] } {
  const { node: right, scope } = readResult(compilation, statement.name);
  const on = joined(
    'and',
    key.map((name, i) => binary('eq', column(changed.scope, name), column(scope, names[i] ?? ''))),
  );
  const node = compilation.node({ kind: 'join', join: 'inner', left: changed.node, right, on });
  const moved = new Map(
    [...partnerNames].map(([one, name]) => [one, { ...one, expr: column(scope, name) }]),
  );
  const move = (one: ScopeColumn) => moved.get(one) ?? one;
  return {
    node,
    columns: partner.columns.map(move),
    tables: partner.tables.map((table) => ({ ...table, columns: table.columns.map(move) })),
  };
}
