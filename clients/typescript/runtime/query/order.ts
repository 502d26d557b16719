/** In which order rows come: as the application has said, else by their key. No order that it has said is lost in silence. */

import type { Asked } from './parts.ts';

/** Whether the application has said the order in which rows come. */
export function isOrderedBy({ step }: Asked): boolean {
  switch (step.kind) {
    case 'order':
      return step.terms !== undefined;
    case 'where':
    case 'select':
    case 'same':
    case 'slice':
      return isOrderedBy(step.input);
    default:
      return false;
  }
}

/** Whether rows come in an order that the language knows. */
export function isOrdered({ step }: Asked): boolean {
  switch (step.kind) {
    case 'order':
    case 'slice':
    case 'page':
      return true;
    case 'where':
    case 'select':
    case 'same':
      return isOrdered(step.input);
    default:
      return false;
  }
}

/** The step behind an `orderBy` that does not keep its order. */
export function losesOrder({ step }: Asked): string | undefined {
  switch (step.kind) {
    case 'refQuery':
      return isOrderedBy(step.of) ? 'query(…).rows' : undefined;
    case 'where':
    case 'select':
    case 'same':
    case 'slice':
      return losesOrder(step.input);
    case 'union':
    case 'intersect':
    case 'except':
      if (isOrderedBy(step.right)) return step.kind;
      break;
    case 'order':
    case 'group':
    case 'page':
    case 'recursive':
      return undefined;
  }
  if (!('input' in step)) return undefined;
  return isOrderedBy(step.input) ? step.kind : losesOrder(step.input);
}
