/** A text that every matching row contains in one column, so that a scan can search for it in the bytes of blocks. */

import type { Column } from '#catalog';
import { TextSearch } from '#layout';
import type { PlanExpression } from '#planner';
import { piecesOf } from '#value';
import { compile, type Frame, textPartsAt } from '../../kernels/compile.ts';
import { evaluateConstant, type Kernel } from '../../kernels/kernel.ts';
import { conjunctsOf } from './zone-bounds.ts';

interface Condition {
  readonly column: Column;
  readonly text: Kernel | string;
}

export class RequiredText {
  private readonly condition: Condition;

  private constructor(condition: Condition) {
    this.condition = condition;
  }

  /** Returns the required text of a predicate. Returns undefined if the predicate can fail or requires no text. */
  static of(
    predicate: PlanExpression,
    columns: readonly Column[],
    frame: Frame,
  ): RequiredText | undefined {
    for (const conjunct of conjunctsOf(predicate)) {
      const condition = conditionOf(conjunct, columns, frame);
      if (condition === undefined) continue;
      return compile(predicate, frame).canFail ? undefined : new RequiredText(condition);
    }
    return undefined;
  }

  /** Returns the search with the present parameters and registers; undefined if the text is NULL or empty. */
  search(): TextSearch | undefined {
    const { column, text } = this.condition;
    const wanted = typeof text === 'string' ? text : evaluateConstant(text);
    if (typeof wanted !== 'string' || wanted === '') return undefined;
    return new TextSearch(column, wanted);
  }
}

function conditionOf(
  expression: PlanExpression,
  columns: readonly Column[],
  frame: Frame,
): Condition | undefined {
  if (expression.kind === 'text_match') {
    const { value, parts, comparison } = expression;
    if (value.kind !== 'column' || comparison !== 'exact') return undefined;
    const text = piecesOf(textPartsAt(parts, frame.parameters)).reduce((a, b) =>
      b.length > a.length ? b : a,
    );
    return text === '' ? undefined : { column: columns[value.columnIndex] as Column, text };
  }
  if (expression.kind !== 'compare' || expression.op !== 'eq') return undefined;
  if (expression.operandType !== 'text') return undefined;
  const { left, right } = expression;
  const [column, other] = left.kind === 'column' ? [left, right] : [right, left];
  if (column.kind !== 'column' || (other.kind !== 'parameter' && other.kind !== 'register')) {
    return undefined;
  }
  return { column: columns[column.columnIndex] as Column, text: compile(other, frame) };
}
