/** The program of a statement that changes rows, and its parts. */

import type { Query } from '#lir';
import type { MutationStatement, Statement } from '#pir';
import type { SqlColumn } from '../compiled.ts';
import { column } from './build.ts';
import type { Compilation } from './compilation.ts';

/** A statement that changes rows, as a program. `counted` names the statements whose rows the tag counts. */
export interface WriteProgram {
  readonly tag: string;
  readonly statements: readonly Statement[];
  readonly counted: readonly string[];
  /** The statement with the rows of RETURNING; it is the last one. */
  readonly returned?: { readonly name: string; readonly columns: readonly SqlColumn[] } | undefined;
}

/** Takes the relation that has been built, and makes an update or delete of it. */
export function mutation(
  compilation: Compilation,
  kind: 'update' | 'delete',
  table: string,
  node: string,
): MutationStatement {
  return { kind, name: compilation.name('w'), table, relation: compilation.take(manyRows(node)) };
}

/** Takes the relation that has been built, and makes a `create` of it, whose ids and result follow the order of the rows. */
export function creation(
  compilation: Compilation,
  table: string,
  node: string,
  hasSequence: boolean,
): MutationStatement {
  const root = hasSequence ? ({ node, cardinality: 'many' } as const) : manyRows(node);
  const relation = compilation.take(root);
  return { kind: 'create', name: compilation.name('w'), table, relation, ordered: true };
}

/** The root of a relation whose rows have no order that matters. */
export function manyRows(node: string): Query['root'] {
  return { node, cardinality: 'many', unordered: true } as Query['root'];
}

/** Reads the columns of the result of an earlier statement. */
export function readResult(
  compilation: Compilation,
  binding: string,
): { readonly node: string; readonly scope: string } {
  const scope = compilation.name('s');
  return { node: compilation.node({ kind: 'ref', binding, scope }), scope };
}

/** Reads the rows of several statements, the rows of each in turn. The columns are those of the first statement. */
export function readResults(
  compilation: Compilation,
  bindings: readonly string[],
  names: readonly string[],
): { readonly node: string; readonly scope: string } {
  const [first, ...others] = bindings.map((binding) => readResult(compilation, binding));
  if (first === undefined) throw new Error('a program of no statement');
  if (others.length === 0) return first;
  const inputs = [first, ...others].map(({ node, scope: own }) => {
    const fields = names.map((name) => ({ as: name, expr: column(own, name) }));
    return compilation.node({ kind: 'project', input: node, fields });
  });
  const scope = compilation.name('s');
  return { node: compilation.node({ kind: 'concatenate', inputs, scope }), scope };
}
