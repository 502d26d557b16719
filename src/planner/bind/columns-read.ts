/** Lists the columns that an expression reads, including columns of the current row that its crossings read. */

import type { BoundExpression } from './bound.ts';
import { operandsOf } from './operands.ts';

export function columnsReadBy(expression: BoundExpression): ReadonlySet<number> {
  const read = new Set<number>();
  addColumnsReadBy(expression, read);
  return read;
}

export function addColumnsReadBy(expression: BoundExpression, read: Set<number>): void {
  const open: BoundExpression[] = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'column') read.add(part.id);
    else if (part.kind === 'crossing') for (const id of part.outer) read.add(id);
    else for (const operand of operandsOf(part)) open.push(operand);
  }
}
