/** Compiles DELETE and TRUNCATE. */

import type { DeleteStmt, RangeVar, TruncateStmt } from 'libpg-query';
import { inboundOf } from '#catalog';
import { column } from './build.ts';
import type { Compilation } from './compilation.ts';
import { matchedRows } from './matched-rows.ts';
import { pairedRows } from './paired-rows.ts';
import { returning } from './returning.ts';
import { mutation, readResult, type WriteProgram } from './write-program.ts';
import { field, keyFields, type Target, targetOf } from './write-target.ts';

export function compileDelete(compilation: Compilation, stmt: DeleteStmt): WriteProgram {
  const matched = matchedRows(compilation, stmt, stmt.usingClause);
  const { target, node: input, key, partner } = matched;
  if (partner === undefined || stmt.returningClause === undefined) {
    let node = compilation.node({ kind: 'project', input, fields: key });
    // A row with several partners is deleted once.
    if (partner !== undefined) node = compilation.node({ kind: 'distinct', input: node });
    const change = mutation(compilation, 'delete', target.table.name, node);
    const program = { tag: 'DELETE', statements: [change], counted: [change.name] };
    return returning(compilation, program, target, stmt.returningClause);
  }
  const paired = pairedRows(compilation, matched, key);
  const { node, scope } = readResult(compilation, paired.statement.name);
  const read = key.map(({ as }, i) => field(as, column(scope, paired.names[i] ?? '')));
  const keys = compilation.node({ kind: 'project', input: node, fields: read });
  const change = mutation(compilation, 'delete', target.table.name, keys);
  const program = { tag: 'DELETE', statements: [paired.statement, change], counted: [change.name] };
  return returning(compilation, program, target, stmt.returningClause, paired);
}

export function compileTruncate(compilation: Compilation, stmt: TruncateStmt): WriteProgram {
  if (stmt.restart_seqs) throw compilation.unsupported('RESTART IDENTITY', undefined);
  if (stmt.behavior === 'DROP_CASCADE') {
    throw compilation.unsupported('TRUNCATE … CASCADE', undefined, 'Name all tables.');
  }
  const ranges = (stmt.relations ?? []).map(
    (node): RangeVar => ('RangeVar' in node ? node.RangeVar : {}),
  );
  const targets = new Map(
    ranges.map((range) => targetOf(compilation, range)).map((target) => [target.table.id, target]),
  );
  const statements = childrenFirst(compilation, targets).map(({ table, ...target }) => {
    const scope = compilation.name('s');
    const input = compilation.node({ kind: 'scan', table: table.name, scope });
    const fields = keyFields({ table, ...target }, scope);
    return mutation(
      compilation,
      'delete',
      table.name,
      compilation.node({ kind: 'project', input, fields }),
    );
  });
  return { tag: 'TRUNCATE TABLE', statements, counted: [] };
}

/** Orders the tables so that a row is deleted after the rows that refer to it. */
function childrenFirst(
  compilation: Compilation,
  targets: ReadonlyMap<number, Target>,
): readonly Target[] {
  const { catalog } = compilation.input.setting;
  const done = new Set<number>();
  const ordered: Target[] = [];
  const visit = (target: Target, open: ReadonlySet<number>) => {
    const { id, name } = target.table;
    if (done.has(id)) return;
    if (open.has(id))
      throw compilation.unsupported('TRUNCATE of tables that refer to each other', undefined);
    for (const { child } of inboundOf(catalog, id)) {
      if (child.id === id) continue;
      const other = targets.get(child.id);
      if (other === undefined) {
        const message = 'cannot truncate a table referenced in a foreign key constraint';
        throw compilation.error('0A000', message, undefined, {
          detail: `Table "${child.name}" references "${name}".`,
          hint: `Truncate table "${child.name}" at the same time.`,
        });
      }
      visit(other, new Set([...open, id]));
    }
    done.add(id);
    ordered.push(target);
  };
  for (const target of targets.values()) visit(target, new Set());
  return ordered;
}
