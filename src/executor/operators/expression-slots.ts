/** Which columns of its input an operator reads. */

import type { PlanExpression } from '#planner';

/** The columns that expressions read. */
export function slotsOf(expressions: readonly PlanExpression[]): ReadonlySet<number> {
  const slots = new Set<number>();
  for (const expression of expressions) addSlots(expression, slots);
  return slots;
}

function addSlots(expression: PlanExpression, slots: Set<number>): void {
  switch (expression.kind) {
    case 'column':
      slots.add(expression.slot);
      return;
    case 'compare':
    case 'arithmetic':
      addSlots(expression.left, slots);
      addSlots(expression.right, slots);
      return;
    case 'logical':
    case 'coalesce':
      for (const operand of expression.operands) addSlots(operand, slots);
      return;
    case 'unary':
    case 'cast':
    case 'among':
      addSlots(expression.operand, slots);
      return;
    case 'text_match':
      addSlots(expression.value, slots);
      return;
    case 'branch':
      for (const { when, then } of expression.arms) {
        addSlots(when, slots);
        addSlots(then, slots);
      }
      addSlots(expression.otherwise, slots);
  }
}
