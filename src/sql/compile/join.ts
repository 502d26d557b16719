/** Joins: ON, USING, NATURAL and CROSS. */

import type { JoinExpr } from 'libpg-query';
import type { Expression } from '#lir';
import { childScope, type Scope, type ScopeColumn, type ScopeTable } from '../scope/scope.ts';
import { hasCrossing, joined, truth } from './build.ts';
import { coerce } from './coerce.ts';
import { commonTypeOf } from './common-type.ts';
import type { Compilation } from './compilation.ts';
import { condition } from './condition.ts';
import { fullJoin } from './full-join.ts';
import { nameParts } from './nodes.ts';
import { binaryOperation } from './operators.ts';

/** An item of FROM, or several joined ones. */
export interface FromPart {
  readonly node: string;
  readonly tables: readonly ScopeTable[];
  readonly columns: readonly ScopeColumn[];
}

export interface Sides {
  readonly left: FromPart;
  readonly right: FromPart;
  readonly parent: Scope;
}

export function join(compilation: Compilation, expr: JoinExpr, sides: Sides): FromPart {
  const { jointype } = expr;
  if (jointype === 'JOIN_FULL') return fullJoin(compilation, expr, sides, joinOf);
  return joinOf(compilation, expr, sides);
}

/** Joins two sides, all but a full join. */
function joinOf(
  compilation: Compilation,
  expr: JoinExpr,
  { left, right, parent }: Sides,
): FromPart {
  const names = commonNames(expr, left, right);
  const isOuter = expr.jointype !== 'JOIN_INNER';
  const leftNull = expr.jointype === 'JOIN_RIGHT' ? padded(left) : left;
  const rightNull = expr.jointype === 'JOIN_LEFT' ? padded(right) : right;
  const on = conditionOf(compilation, expr, { left, right, parent }, names);
  const isCrossing = hasCrossing(on);
  if (isCrossing && isOuter) {
    throw compilation.unsupported(
      'a subquery in the condition of an outer join',
      undefined,
      'Compute it in a common table expression.',
    );
  }
  // A right join is a left join of the sides in the other order.
  const [first, second] = expr.jointype === 'JOIN_RIGHT' ? [right, left] : [left, right];
  let node = compilation.node({
    kind: 'join',
    left: first.node,
    right: second.node,
    join: isOuter ? 'left' : 'inner',
    on: isCrossing ? truth(true) : on,
  });
  if (isCrossing) node = compilation.node({ kind: 'filter', input: node, predicate: on });
  const tables = [...leftNull.tables, ...rightNull.tables];
  const merged = names.map((name) => mergedColumn(compilation, expr, leftNull, rightNull, name));
  const isMerged = ({ name }: ScopeColumn) => names.includes(name);
  const rest = [...leftNull.columns, ...rightNull.columns].filter((one) => !isMerged(one));
  return { node, tables, columns: [...merged, ...rest] };
}

/** Marks the columns of the side whose values are NULL where no row matches. */
export function padded({ node, tables, columns }: FromPart): FromPart {
  const nullable = (list: readonly ScopeColumn[]) =>
    list.map((one) => ({ ...one, nullable: true }));
  return {
    node,
    tables: tables.map((table) => ({ ...table, columns: nullable(table.columns) })),
    columns: nullable(columns),
  };
}

/** Returns the names of the columns that USING or NATURAL joins by. */
export function commonNames(
  { usingClause, isNatural }: JoinExpr,
  left: FromPart,
  right: FromPart,
): readonly string[] {
  if (!isNatural) return nameParts(usingClause);
  const names = new Set(right.columns.map(({ name }) => name));
  return left.columns.filter(({ name }) => names.has(name)).map(({ name }) => name);
}

export function conditionOf(
  compilation: Compilation,
  { quals }: JoinExpr,
  { left, right, parent }: Sides,
  names: readonly string[],
): Expression {
  if (quals !== undefined) {
    const scope = childScope(parent, {
      tables: [...left.tables, ...right.tables],
      columns: [...left.columns, ...right.columns],
    });
    return condition({ compilation, scope, clause: 'JOIN/ON' }, quals, 'true').expr;
  }
  const equal = names.map((name) => {
    const operands = {
      left: commonColumn(compilation, left, name, 'left'),
      right: commonColumn(compilation, right, name, 'right'),
    };
    return binaryOperation(compilation, { operator: '=', ...operands, location: undefined }).expr;
  });
  return joined('and', equal);
}

export function commonColumn(
  compilation: Compilation,
  { columns }: FromPart,
  name: string,
  side: 'left' | 'right',
): ScopeColumn {
  const [found, second] = columns.filter((one) => one.name === name);
  if (found === undefined) {
    const message = `column "${name}" specified in USING clause does not exist in ${side} table`;
    throw compilation.error('42703', message, undefined);
  }
  if (second !== undefined) {
    const message = `common column name "${name}" appears more than once in ${side} table`;
    throw compilation.error('42702', message, undefined);
  }
  return found;
}

/** Returns the column that stands for both columns of USING. */
function mergedColumn(
  compilation: Compilation,
  { jointype }: JoinExpr,
  left: FromPart,
  right: FromPart,
  name: string,
): ScopeColumn {
  const one = commonColumn(compilation, left, name, 'left');
  const other = commonColumn(compilation, right, name, 'right');
  const type = commonTypeOf(compilation, [one, other], 'JOIN/USING', undefined);
  const kept = jointype === 'JOIN_RIGHT' ? other : one;
  return { ...coerce(compilation, kept, type, 'implicit'), name };
}
