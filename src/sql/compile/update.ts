/** Compiles UPDATE. */

import type { UpdateStmt } from 'libpg-query';
import { column } from './build.ts';
import type { Compilation } from './compilation.ts';
import { matchedRows } from './matched-rows.ts';
import { pairedRows } from './paired-rows.ts';
import { returning } from './returning.ts';
import { assignments } from './set-clause.ts';
import { mutation, readResult, type WriteProgram } from './write-program.ts';
import { field } from './write-target.ts';

export function compileUpdate(compilation: Compilation, stmt: UpdateStmt): WriteProgram {
  const matched = matchedRows(compilation, stmt, stmt.fromClause);
  const { target, env, node: input, key, partner } = matched;
  const sets = assignments({ ...env, clause: 'UPDATE' }, target, stmt.targetList ?? []);
  const fields = [...key, ...sets.map(({ name, value }) => field(name, value.expr))];
  if (partner === undefined || stmt.returningClause === undefined) {
    const node = compilation.node({ kind: 'project', input, fields });
    const change = mutation(compilation, 'update', target.table.name, node);
    const program = { tag: 'UPDATE', statements: [change], counted: [change.name] };
    return returning(compilation, program, target, stmt.returningClause);
  }
  const paired = pairedRows(compilation, matched, fields);
  const { node, scope } = readResult(compilation, paired.statement.name);
  const read = fields.map(({ as }, i) => field(as, column(scope, paired.names[i] ?? '')));
  const changes = compilation.node({ kind: 'project', input: node, fields: read });
  const change = mutation(compilation, 'update', target.table.name, changes);
  const program = {
    tag: 'UPDATE',
    statements: [paired.statement, change],
    counted: [change.name],
  };
  return returning(compilation, program, target, stmt.returningClause, paired);
}
