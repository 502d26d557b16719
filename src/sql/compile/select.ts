/** Compiles one SELECT: FROM, WHERE, GROUP BY, HAVING, the list of expressions, DISTINCT, ORDER BY, LIMIT. */

import type { Node, SelectStmt } from 'libpg-query';
import { childScope, type Scope } from '../scope/scope.ts';
import { plainTypeText } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { column, hasCrossing, oneRow } from './build.ts';
import { coerce, settled } from './coerce.ts';
import type { Compilation, Env, Typed } from './compilation.ts';
import { condition } from './condition.ts';
import { fromClause } from './from.ts';
import { groupingOf } from './group.ts';
import { sliced } from './limit.ts';
import { locationOf } from './nodes.ts';
import { type OrderTerm, orderTerms, termOf } from './order.ts';
import type { CompiledQuery, Draft, Output } from './query.ts';
import { targetsOf } from './targets.ts';

/** The parts of a SELECT after everything but its columns is compiled. */
interface Body {
  readonly compilation: Compilation;
  readonly stmt: SelectStmt;
  readonly outputs: readonly Output[];
  readonly terms: readonly OrderTerm[];
  /** Adds the nodes of the rows, and returns the last one. */
  readonly rows: () => string;
  readonly isSingle: boolean;
}

export function select(compilation: Compilation, stmt: SelectStmt, parent: Scope): Draft {
  refuseClauses(compilation, stmt);
  const from = fromClause(compilation, stmt.fromClause, parent);
  const scope = childScope(parent, from ?? {});
  const where: Env = { compilation, scope, clause: 'WHERE' };
  let input = from?.node ?? oneRow(compilation);
  if (stmt.whereClause !== undefined) {
    const predicate = condition(where, stmt.whereClause, 'true').expr;
    input = compilation.node({ kind: 'filter', input, predicate });
  }
  const grouping = groupingOf(compilation, stmt, scope);
  const env: Env = grouping?.env ?? { compilation, scope, clause: 'SELECT' };
  const outputs = targetsOf(env, stmt.targetList ?? []);
  const having = stmt.havingClause && havingOf(env, stmt.havingClause);
  const terms = orderTerms({ ...env, clause: 'ORDER BY' }, stmt, outputs);
  const rows = (): string => {
    const grouped = grouping?.finish(input) ?? input;
    if (having === undefined) return grouped;
    return compilation.node({ kind: 'filter', input: grouped, predicate: having.expr });
  };
  const isSingle = grouping?.isSingle ?? from === undefined;
  const body = { compilation, stmt, outputs, terms, rows, isSingle };
  return { outputs, finish: (types) => finish(body, types) };
}

function havingOf(env: Env, node: Node): Typed {
  return condition({ ...env, clause: 'HAVING' }, node, 'true');
}

function finish(body: Body, types: readonly (SqlType | undefined)[] = []): CompiledQuery {
  const { compilation, stmt, outputs, terms } = body;
  const typed = outputs.map(({ operand }, at) => {
    const type = types[at];
    return type === undefined
      ? settled(compilation, operand)
      : coerce(compilation, operand, type, 'implicit');
  });
  const isDistinct = stmt.distinctClause !== undefined;
  for (const [at, one] of (isDistinct ? typed : []).entries()) {
    requireComparable(compilation, one, stmt, at);
  }
  const isOnOutputs = isDistinct || terms.some((term) => isCrossingOutput(term, typed));
  return isOnOutputs ? orderedAfter(body, typed, isDistinct) : orderedBefore(body, typed);
}

/** Whether a term is an output with a subquery, which must not be computed twice. */
function isCrossingOutput({ output }: OrderTerm, typed: readonly Typed[]): boolean {
  return output !== undefined && hasCrossing((typed[output] as Typed).expr);
}

/** Orders and cuts the rows before the columns are computed, so that indexes can give the order. */
function orderedBefore(body: Body, typed: readonly Typed[]): CompiledQuery {
  const { compilation, stmt, terms } = body;
  let node = body.rows();
  if (terms.length > 0) {
    const ordered = terms.map((term) => {
      const { output } = term;
      return termOf(
        compilation,
        output === undefined ? term : { ...term, of: typed[output] as Typed },
      );
    });
    node = compilation.node({ kind: 'order', input: node, terms: ordered });
  }
  const isOrdered = terms.length > 0;
  const cut = sliced(compilation, stmt, { node, isOrdered });
  const { node: projected, columns } = projectedOn(body, cut.node, typed);
  return { node: projected, columns, isOrdered: cut.isOrdered, isSingle: body.isSingle };
}

/** Computes the columns first, and other terms of ORDER BY as further columns. */
function orderedAfter(body: Body, typed: readonly Typed[], isDistinct: boolean): CompiledQuery {
  const { compilation, stmt, terms } = body;
  const hidden = terms.filter((term) => term.output === undefined);
  const all = [...typed, ...hidden.map((term) => term.of as Typed)];
  const computed = projectedOn(body, body.rows(), all);
  let { node } = computed;
  if (isDistinct) {
    const [first] = hidden;
    if (first !== undefined) {
      const message = 'for SELECT DISTINCT, ORDER BY expressions must appear in select list';
      throw compilation.error('42P10', message, first.location);
    }
    node = compilation.node({ kind: 'distinct', input: node });
  }
  if (terms.length > 0) {
    const ordered = terms.map((term) => {
      const at = term.output ?? typed.length + hidden.indexOf(term);
      return termOf(compilation, { ...term, of: computed.columns[at] as Typed });
    });
    node = compilation.node({ kind: 'order', input: node, terms: ordered });
  }
  const cut = sliced(compilation, stmt, { node, isOrdered: terms.length > 0 });
  const columns = computed.columns.slice(0, typed.length);
  if (hidden.length === 0) return { ...cut, columns, isSingle: body.isSingle };
  const shown = projectedOn(body, cut.node, columns);
  return { ...cut, node: shown.node, columns: shown.columns, isSingle: body.isSingle };
}

/** Projects the expressions. A query without columns has one that is not shown. */
function projectedOn(
  { compilation, outputs }: Body,
  input: string,
  typed: readonly Typed[],
): Pick<CompiledQuery, 'node' | 'columns'> {
  const scope = compilation.name('s');
  const fields = typed.map(({ expr }, at) => ({ as: `c${at + 1}`, expr }));
  if (fields.length === 0) {
    fields.push({ as: 'c1', expr: { kind: 'lit', value: { type: 'bool', value: true } } });
  }
  const node = compilation.node({ kind: 'project', input, scope, fields });
  const columns = typed.map((one, at) => ({
    ...one,
    source: undefined,
    name: outputs[at]?.name ?? '',
    expr: column(scope, `c${at + 1}`),
  }));
  return { node, columns };
}

function requireComparable(
  compilation: Compilation,
  { type }: Typed,
  { targetList }: SelectStmt,
  at: number,
): void {
  const location = locationOf(targetList?.[at]);
  if (type.name === 'json') {
    throw compilation.error(
      '42883',
      'could not identify an equality operator for type json',
      location,
    );
  }
  if (type.name === 'jsonb' || type.element !== undefined) {
    throw compilation.unsupported(
      `a comparison of values of type ${plainTypeText(type)}`,
      location,
    );
  }
}

function refuseClauses(compilation: Compilation, stmt: SelectStmt): void {
  const { distinctClause, windowClause, lockingClause } = stmt;
  const isOn = distinctClause?.some((node) => Object.keys(node).length > 0) ?? false;
  if (isOn) {
    throw compilation.unsupported('DISTINCT ON', locationOf(distinctClause?.[0]));
  }
  if (windowClause !== undefined) throw compilation.unsupported('WINDOW', undefined);
  for (const node of lockingClause ?? []) {
    const policy = 'LockingClause' in node ? node.LockingClause.waitPolicy : undefined;
    if (policy === 'LockWaitSkip') {
      const hint = 'Claim rows by UPDATE … RETURNING.';
      throw compilation.unsupported('SKIP LOCKED', undefined, hint);
    }
    if (distinctClause !== undefined || stmt.groupClause !== undefined) {
      const clause = distinctClause === undefined ? 'GROUP BY' : 'DISTINCT';
      throw compilation.error(
        '0A000',
        `FOR UPDATE is not allowed with ${clause} clause`,
        undefined,
      );
    }
  }
}
