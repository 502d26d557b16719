/** Joins: ON, USING, NATURAL and CROSS. */

import type { JoinExpr } from 'libpg-query';
import type { Expression } from '#lir';
import {
  childScope,
  outerUses,
  type Scope,
  type ScopeColumn,
  type ScopeTable,
} from '../scope/scope.ts';
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
  /** Whether a side refers to an enclosing query. */
  readonly isDependent?: boolean;
}

export function join(compilation: Compilation, expr: JoinExpr, sides: Sides): FromPart {
  const { left, right, parent } = sides;
  const names = commonNames(expr, left, right);
  if (expr.jointype !== 'JOIN_FULL')
    return merged(compilation, expr, plainJoin(compilation, expr, sides, names), names);
  const before = usesAround(parent);
  const full = fullJoin(compilation, sides, (of) => conditionOf(compilation, expr, of, names));
  if (usesAround(parent) !== before || sides.isDependent) {
    throw compilation.unsupported(
      'FULL JOIN in a subquery that refers to an enclosing query',
      undefined,
    );
  }
  return merged(compilation, expr, full, names);
}

/** Returns the number of references to the enclosing queries so far. */
export function usesAround(parent: Scope): number {
  return parent.uses.count + outerUses(parent);
}

interface Joined {
  readonly node: string;
  readonly left: FromPart;
  readonly right: FromPart;
}

/** Joins two sides, all but a full join. */
function plainJoin(
  compilation: Compilation,
  expr: JoinExpr,
  { left, right, parent }: Sides,
  names: readonly string[],
): Joined {
  const isOuter = expr.jointype !== 'JOIN_INNER';
  const on = conditionOf(compilation, expr, { left, right, parent }, names);
  const isCrossing = hasCrossing(on);
  if (isCrossing && isOuter) {
    const hint = 'Compute it in a common table expression.';
    throw compilation.unsupported('a subquery in the condition of an outer join', undefined, hint);
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
  return {
    node,
    left: expr.jointype === 'JOIN_RIGHT' ? padded(left) : left,
    right: expr.jointype === 'JOIN_LEFT' ? padded(right) : right,
  };
}

/** Makes one column of each pair of columns that USING or NATURAL joins by. */
function merged(
  compilation: Compilation,
  expr: JoinExpr,
  { node, left, right }: Joined,
  names: readonly string[],
): FromPart {
  const common = names.map((name) => mergedColumn(compilation, expr, left, right, name));
  const rest = [...left.columns, ...right.columns].filter(({ name }) => !names.includes(name));
  return { node, tables: [...left.tables, ...right.tables], columns: [...common, ...rest] };
}

/** Marks the columns of the side whose values are NULL where no row matches. */
function padded({ node, tables, columns }: FromPart): FromPart {
  const nullable = (list: readonly ScopeColumn[]) =>
    list.map((one) => ({ ...one, nullable: true }));
  return {
    node,
    tables: tables.map((table) => ({ ...table, columns: nullable(table.columns) })),
    columns: nullable(columns),
  };
}

/** Returns the names of the columns that USING or NATURAL joins by. */
function commonNames(
  { usingClause, isNatural }: JoinExpr,
  left: FromPart,
  right: FromPart,
): readonly string[] {
  if (!isNatural) return nameParts(usingClause);
  const names = new Set(right.columns.map(({ name }) => name));
  return left.columns.filter(({ name }) => names.has(name)).map(({ name }) => name);
}

function conditionOf(
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

function commonColumn(
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
  if (jointype === 'JOIN_FULL') {
    const args = [one, other].map((side) => coerce(compilation, side, type, 'implicit').expr);
    return { name, type, expr: { kind: 'coalesce', args }, nullable: true };
  }
  const kept = jointype === 'JOIN_RIGHT' ? other : one;
  return { ...coerce(compilation, kept, type, 'implicit'), name };
}
