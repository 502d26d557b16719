/** Predicates that a path into a table may serve: equalities and ranges on keys, indexes and other columns. */

import type { BinaryOperator, Expression } from '#lir';
import type { ScalarType } from '#value';
import { type ExpressionPlace, leafOf, partOf } from './expression.ts';
import { type ColumnUse, columnsOf, use, type VisibleScope } from './scope.ts';
import { literalOf, solidLiteral } from './values.ts';

const ranges: readonly BinaryOperator[] = ['gte', 'lt', 'lte', 'gt'];
const mirrored: Partial<Record<BinaryOperator, BinaryOperator>> = {
  eq: 'eq',
  gte: 'lte',
  lte: 'gte',
  gt: 'lt',
  lt: 'gt',
};

/** Undefined when no table is in reach. */
export function lookupOf(place: ExpressionPlace): Expression | undefined {
  const { choices } = place.draft;
  const tables = place.scopes.filter((scope) => scope.paths !== undefined);
  if (tables.length === 0) return undefined;
  const scope = choices.pick(tables);
  const columns = choices.oneIn(4)
    ? [choices.pick(scope.columns).name]
    : choices.pick(scope.paths as readonly (readonly string[])[]);
  const used = columns.slice(0, 1 + choices.below(columns.length));
  return conjunction(used.map((name, i) => testOf(place, scope, name, i === used.length - 1)));
}

function testOf(
  place: ExpressionPlace,
  scope: VisibleScope,
  column: string,
  isLast: boolean,
): Expression {
  const { choices } = place.draft;
  const col = { kind: 'col', scope: scope.label, column } as const;
  const { type } = scope.columns.find(({ name }) => name === column) as { type: ScalarType };
  const compare = (op: BinaryOperator) => comparison(place, op, col, type);
  switch (isLast ? choices.below(9) : 0) {
    case 3:
    case 4:
    case 5:
      return compare(choices.pick(ranges));
    case 6:
      return conjunction([compare('gte'), compare(choices.pick(['lt', 'lte'] as const))]);
    case 7:
      return { kind: 'unary', op: choices.pick(['is_null', 'is_not_null'] as const), expr: col };
    case 8:
      if (type === 'text') {
        const parts = [partOf(place.draft), { kind: 'any_many' } as const];
        return { kind: 'text_match', value: col, parts };
      }
      return { kind: 'binary', op: 'or', left: compare('eq'), right: compare('eq') };
    default:
      return compare('eq');
  }
}

function comparison(
  place: ExpressionPlace,
  op: BinaryOperator,
  col: ColumnUse,
  type: ScalarType,
): Expression {
  const { choices } = place.draft;
  const other = otherOf(place, col, type);
  if (choices.oneIn(4)) return { kind: 'binary', op: mirrored[op] ?? op, left: other, right: col };
  return { kind: 'binary', op, left: col, right: other };
}

/** A column of an enclosing row where there is one, a literal, or anything of the type. */
function otherOf(place: ExpressionPlace, col: ColumnUse, type: ScalarType): Expression {
  const { choices } = place.draft;
  const outer = columnsOf(place.outer, type);
  if (outer.length > 0 && !choices.oneIn(4)) return use(choices.pick(outer));
  if (choices.oneIn(6)) return leafOf(place, type);
  if (type === 'int64' && choices.oneIn(8)) {
    const left = outer.length > 0 ? use(choices.pick(outer)) : col;
    return { kind: 'binary', op: 'add', left, right: { kind: 'lit', value: { type, value: '1' } } };
  }
  const literal = choices.oneIn(30) ? literalOf : solidLiteral;
  return { kind: 'lit', value: literal(choices, type) };
}

export function conjunction(tests: readonly Expression[]): Expression {
  return tests.reduce((left, right) => ({ kind: 'binary', op: 'and', left, right }));
}
