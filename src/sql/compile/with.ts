/** Common table expressions. */

import type { CommonTableExpr, SelectStmt, WithClause } from 'libpg-query';
import {
  childScope,
  type NamedRelation,
  outerUses,
  type Scope,
  type ScopeColumn,
} from '../scope/scope.ts';
import { column } from './build.ts';
import { settled } from './coerce.ts';
import { type Compilation, isTyped } from './compilation.ts';
import { nameParts } from './nodes.ts';
import { type CompiledQuery, draftOf } from './query.ts';

/** The body of a relation: makes a relation for one reference. */
interface Body {
  instance(
    compilation: Compilation,
    location: number | undefined,
  ): Pick<CompiledQuery, 'node' | 'columns'>;
}

/** Returns a scope with the relations of WITH. Each body is compiled, whether or not it is used. */
export function withRelations(
  compilation: Compilation,
  clause: WithClause | undefined,
  parent: Scope | undefined,
): Scope {
  let scope = childScope(parent);
  for (const node of clause?.ctes ?? []) {
    const cte: CommonTableExpr = 'CommonTableExpr' in node ? node.CommonTableExpr : {};
    const { ctename = '', ctequery } = cte;
    if (scope.relations.has(ctename)) {
      const message = `WITH query name "${ctename}" specified more than once`;
      throw compilation.error('42712', message, cte.location);
    }
    if (cte.search_clause !== undefined || cte.cycle_clause !== undefined) {
      throw compilation.unsupported('SEARCH and CYCLE', cte.location);
    }
    if (ctequery === undefined || !('SelectStmt' in ctequery)) {
      const hint = 'Send the statements one after the other, in a transaction.';
      throw compilation.unsupported('a WITH query that writes', cte.location, hint);
    }
    const isRecursive = clause?.recursive === true && mentions(ctequery.SelectStmt, ctename);
    const body = isRecursive
      ? recursiveBody(compilation, cte, ctequery.SelectStmt, scope)
      : plainBody(compilation, cte, ctequery.SelectStmt, scope);
    const relations = new Map([...scope.relations, [ctename, { name: ctename, body }]]);
    scope = { ...scope, relations };
  }
  return scope;
}

/** Makes the relation of a reference. */
export function instanceOf(
  compilation: Compilation,
  { body }: NamedRelation,
  location: number | undefined,
): Pick<CompiledQuery, 'node' | 'columns'> {
  return (body as Body).instance(compilation, location);
}

function mentions(stmt: SelectStmt, name: string): boolean {
  let found = false;
  JSON.stringify(stmt, (key, value: unknown) => {
    if (key !== 'RangeVar') return value;
    const { relname, schemaname } = value as { relname?: string; schemaname?: string };
    found ||= relname === name && schemaname === undefined;
    return value;
  });
  return found;
}

function plainBody(
  compilation: Compilation,
  cte: CommonTableExpr,
  stmt: SelectStmt,
  scope: Scope,
): Body {
  const inner = childScope(scope);
  const before = outerUses(inner);
  const compile = () => draftOf(compilation, stmt, inner).finish();
  const query = compile();
  const names = namesOf(compilation, cte, query.columns);
  if (outerUses(inner) === before) return derivedBody(compilation, query, names);
  // A binding sees nothing outside of it, so a body that refers to an enclosing query is repeated for each reference.
  let next: CompiledQuery | undefined = query;
  return {
    instance: () => {
      const { node, columns } = next ?? compile();
      next = undefined;
      return { node, columns: columns.map((one, at) => ({ ...one, name: names[at] as string })) };
    },
  };
}

function derivedBody(
  compilation: Compilation,
  query: CompiledQuery,
  names: readonly string[],
): Body {
  const name = compilation.name('b');
  compilation.bind(name, { kind: 'derived', node: query.node });
  return { instance: () => reference(compilation, name, query.columns, names) };
}

function reference(
  compilation: Compilation,
  binding: string,
  columns: readonly ScopeColumn[],
  names: readonly string[],
  kind: 'ref' | 'recursive_ref' = 'ref',
): Pick<CompiledQuery, 'node' | 'columns'> {
  const scope = compilation.name('s');
  return {
    node: compilation.node({ kind, binding, scope }),
    columns: columns.map((one, at) => ({
      name: names[at] as string,
      expr: column(scope, `c${at + 1}`),
      type: one.type,
      nullable: one.nullable,
    })),
  };
}

function namesOf(
  compilation: Compilation,
  { ctename, aliascolnames, location }: CommonTableExpr,
  columns: readonly { readonly name: string }[],
): readonly string[] {
  const names = nameParts(aliascolnames);
  if (names.length > columns.length) {
    const message = `WITH query "${ctename}" has ${columns.length} columns available but ${names.length} columns specified`;
    throw compilation.error('42P10', message, location);
  }
  return columns.map((one, at) => names[at] ?? one.name);
}

function recursiveBody(
  compilation: Compilation,
  cte: CommonTableExpr,
  stmt: SelectStmt,
  scope: Scope,
): Body {
  const { ctename = '', location } = cte;
  const { op, all, larg, rarg } = stmt;
  if (op !== 'SETOP_UNION' || larg === undefined || rarg === undefined || mentions(larg, ctename)) {
    const message = `recursive query "${ctename}" does not have the form non-recursive-term UNION [ALL] recursive-term`;
    throw compilation.error('42P19', message, location);
  }
  if (
    stmt.sortClause !== undefined ||
    stmt.limitCount !== undefined ||
    stmt.limitOffset !== undefined
  ) {
    throw compilation.unsupported('ORDER BY and LIMIT of a recursive query', location);
  }
  const name = compilation.name('b');
  const inner = childScope(scope);
  const before = outerUses(inner);
  const anchor = draftOf(compilation, larg, inner);
  const types = anchor.outputs.map(({ operand }) => settled(compilation, operand).type);
  const first = anchor.finish(types);
  const columns = first.columns.map((one) => ({ ...one, nullable: true }));
  const names = namesOf(compilation, cte, columns);
  const frontier: Body = {
    instance: () => reference(compilation, name, columns, names, 'recursive_ref'),
  };
  const relations = new Map([...inner.relations, [ctename, { name: ctename, body: frontier }]]);
  const draft = draftOf(compilation, rarg, { ...inner, relations });
  requireTypes(compilation, cte, draft.outputs, columns);
  const step = draft.finish(types);
  if (outerUses(inner) !== before) {
    throw compilation.unsupported('a recursive query that refers to an enclosing one', location);
  }
  const accumulation = all ? 'all' : 'new';
  compilation.bind(name, { kind: 'recursive', anchor: first.node, step: step.node, accumulation });
  return { instance: () => reference(compilation, name, columns, names) };
}

function requireTypes(
  compilation: Compilation,
  { ctename, location }: CommonTableExpr,
  outputs: ReturnType<typeof draftOf>['outputs'],
  columns: readonly ScopeColumn[],
): void {
  if (outputs.length !== columns.length) {
    const message = 'each UNION query must have the same number of columns';
    throw compilation.error('42601', message, location);
  }
  for (const [at, { operand }] of outputs.entries()) {
    const { type } = columns[at] as ScopeColumn;
    if (!isTyped(operand) || operand.type.oid === type.oid) continue;
    const isNarrower = operand.type.stored === type.stored && operand.type.length < type.length;
    if (isNarrower) continue;
    const message = `recursive query "${ctename}" column ${at + 1} has type ${type.name} in non-recursive term but type ${operand.type.name} overall`;
    throw compilation.error('42804', message, location, {
      hint: 'Cast the output of the non-recursive term to the correct type.',
    });
  }
}
