/** Determines the columns of its input that an operator reads. */

import type { PlanExpression } from '#planner';

/** Returns the indexes of the columns that the expressions read. */
export function columnIndexesIn(expressions: readonly PlanExpression[]): ReadonlySet<number> {
  const columnIndexes = new Set<number>();
  for (const expression of expressions) addColumnIndexes(expression, columnIndexes);
  return columnIndexes;
}

/** Returns the indexes of the columns that are an expression of `expressions` by themselves, and occur neither in others nor in `values`. */
export function numberedColumnIndexes(
  expressions: readonly PlanExpression[],
  values: readonly PlanExpression[],
): ReadonlySet<number> {
  const bare = expressions.flatMap((expression) =>
    expression.kind === 'column' ? [expression.columnIndex] : [],
  );
  const others = expressions.filter((expression) => expression.kind !== 'column');
  return new Set(bare).difference(columnIndexesIn([...others, ...values]));
}

function addColumnIndexes(expression: PlanExpression, columnIndexes: Set<number>): void {
  switch (expression.kind) {
    case 'column':
      columnIndexes.add(expression.columnIndex);
      return;
    case 'compare':
    case 'arithmetic':
      addColumnIndexes(expression.left, columnIndexes);
      addColumnIndexes(expression.right, columnIndexes);
      return;
    case 'logical':
    case 'coalesce':
    case 'call':
      for (const operand of expression.operands) addColumnIndexes(operand, columnIndexes);
      return;
    case 'unary':
    case 'cast':
    case 'among':
      addColumnIndexes(expression.operand, columnIndexes);
      return;
    case 'text_match':
      addColumnIndexes(expression.value, columnIndexes);
      return;
    case 'branch':
      for (const { when, then } of expression.arms) {
        addColumnIndexes(when, columnIndexes);
        addColumnIndexes(then, columnIndexes);
      }
      addColumnIndexes(expression.otherwise, columnIndexes);
  }
}
