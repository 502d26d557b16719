/** Quantified comparisons: IN and ANY and ALL of a subquery, and of an array that is known before the statement runs. */

import type { A_Expr, Node, SubLink } from 'libpg-query';
import type { Expression } from '#lir';
import type { Row } from '#value';
import type { SqlValue, StatementValues } from '../compiled.ts';
import type { ScopeColumn } from '../scope/scope.ts';
import { arrayOf, sqlTypes } from '../types/registry.ts';
import {
  binary,
  canBeNull,
  column,
  hasCrossing,
  isNull,
  joined,
  not,
  shared,
  unknown,
} from './build.ts';
import { coerce } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import type { Wanted } from './condition.ts';
import { operand } from './expression.ts';
import { lateRows } from './late.ts';
import { builtinName } from './nodes.ts';
import { bare } from './operators.ts';
import { queryOf } from './query.ts';
import { compareRows, rowOperands } from './row-comparison.ts';

/** The rows that a value is compared with. */
interface Rows {
  readonly node: string;
  readonly columns: readonly ScopeColumn[];
}

interface Quantified {
  readonly operator: string;
  readonly quantifier: 'any' | 'all';
  readonly left: readonly Operand[];
  /** Makes another relation of the rows for each use. */
  readonly rows: () => Rows;
  /** Whether the rows are NULL as a whole, as for an array. */
  readonly isMissing?: Expression | undefined;
  readonly location: number | undefined;
}

export function subqueryCondition(env: Env, content: SubLink, wanted: Wanted): Typed {
  const { subLinkType, testexpr, operName, subselect, location } = content;
  const left = rowOperands(env, testexpr as Node);
  const operator = operName === undefined ? '=' : (builtinName(operName) ?? '');
  const rows = () => queryOf(env, subselect as Node);
  const quantifier = subLinkType === 'ALL_SUBLINK' ? 'all' : 'any';
  const of = { operator, quantifier, left, rows, location } as const;
  return quantified(env.compilation, of, wanted);
}

/** Compiles `x op ANY (array)` and `x op ALL (array)`. */
export function arrayCondition(env: Env, content: A_Expr, wanted: Wanted): Typed {
  const { compilation } = env;
  const { kind, name, lexpr, rexpr, location } = content;
  const left = operand(env, lexpr as Node);
  const list = arrayOperand(compilation, left, operand(env, rexpr as Node), location);
  const { source } = list;
  const element = list.type.element ?? sqlTypes.text;
  const quantifier = kind === 'AEXPR_OP_ALL' ? 'all' : 'any';
  if (source === undefined) {
    throw compilation.unsupported('ANY and ALL of an array that is not constant', location);
  }
  const rows = () =>
    constantRows(compilation, element, (values) => {
      const array = (source(values) ?? []) as readonly SqlValue[];
      return (array as readonly unknown[]).flat(Infinity) as SqlValue[];
    });
  const isMissing = list.nullable ? isNull(list.expr) : undefined;
  const operator = builtinName(name) ?? '';
  const of = { operator, quantifier, left: [left], rows, isMissing, location } as const;
  return quantified(compilation, of, wanted);
}

function arrayOperand(
  compilation: Compilation,
  left: Operand,
  right: Operand,
  location: number | undefined,
): Typed {
  if (isTyped(right)) {
    if (right.type.element !== undefined) return right;
    const message = 'op ANY/ALL (array) requires array on right side';
    throw compilation.error('42809', message, location);
  }
  const element = isTyped(left) ? bare(left.type) : sqlTypes.text;
  const type = arrayOf(element.name === 'varchar' ? sqlTypes.text : element);
  if (type === undefined) throw compilation.unsupported('an array of arrays', location);
  return coerce(compilation, right, type, 'implicit');
}

/** Makes a relation of one column from values that are known before the statement runs. */
export function constantRows(
  compilation: Compilation,
  type: Typed['type'],
  list: (values: StatementValues) => readonly SqlValue[],
): Rows {
  const scope = compilation.name('s');
  const columns = [{ name: 'c1', type: type.stored, nullable: true }] as const;
  const source = (values: StatementValues) => list(values).map((value) => [value] as Row);
  const node = compilation.node({ kind: 'rows', scope, columns, rows: [] }, () =>
    lateRows(scope, columns, source),
  );
  return { node, columns: [{ name: 'c1', expr: column(scope, 'c1'), type, nullable: true }] };
}

/** Compiles the comparison of a value with all rows. */
export function quantified(compilation: Compilation, of: Quantified, wanted: Wanted): Typed {
  const crossing = of.left.filter((one): one is Typed => isTyped(one) && hasCrossing(one.expr));
  let nullable = false;
  const expr = shared(compilation, crossing, (values) => {
    const left = of.left.map((one) => {
      const at = crossing.indexOf(one as Typed);
      return at < 0 ? one : { ...(one as Typed), expr: values[at] as Expression };
    });
    const built = plain(compilation, { ...of, left }, wanted);
    nullable = built.nullable;
    return built.expr;
  });
  return { type: sqlTypes.bool, expr, nullable: canBeNull(expr, nullable) };
}

function plain(compilation: Compilation, of: Quantified, wanted: Wanted): Typed {
  const { quantifier, isMissing } = of;
  let isNullable = false;
  const exists = (test: (compared: Expression) => Expression): Expression => {
    const { node, columns } = of.rows();
    if (columns.length !== of.left.length) {
      const many = columns.length > of.left.length ? 'many' : 'few';
      throw compilation.error('42601', `subquery has too ${many} columns`, of.location);
    }
    const compared = compareRows(compilation, { ...of, right: columns });
    isNullable = compared.nullable;
    const predicate = test(compared.expr);
    return { kind: 'exists', node: compilation.node({ kind: 'filter', input: node, predicate }) };
  };
  // ANY looks for a row whose comparison is TRUE, and ALL for one whose comparison is FALSE.
  const decisive = (compared: Expression) => (quantifier === 'any' ? compared : not(compared));
  const orNull = (compared: Expression) => joined('or', [decisive(compared), isNull(compared)]);
  const isFound = quantifier === 'any' ? (expr: Expression) => expr : not;
  const of_ = (expr: Expression, nullable: boolean): Typed => ({
    type: sqlTypes.bool,
    expr,
    nullable,
  });
  const isStrict = (wanted === 'true') === (quantifier === 'any');
  if (wanted !== 'value') {
    const tested = isStrict ? exists(decisive) : existsLoosely();
    return withMissing(isFound(tested));
  }
  const found = exists(decisive);
  if (!isNullable && isMissing === undefined) return of_(isFound(found), false);
  const isUnknown = joined('or', [...(isMissing ? [isMissing] : []), exists((c) => isNull(c))]);
  const value = binary('or', found, binary('and', isUnknown, unknown));
  return of_(isFound(value), true);

  function existsLoosely(): Expression {
    return exists((compared) => (isNullable ? orNull(compared) : decisive(compared)));
  }

  /** A missing array makes the result NULL, which is neither TRUE nor FALSE. */
  function withMissing(expr: Expression): Typed {
    if (isMissing === undefined) return of_(expr, false);
    const other =
      wanted === 'true' ? binary('and', not(isMissing), expr) : binary('or', isMissing, expr);
    return of_(other, false);
  }
}
