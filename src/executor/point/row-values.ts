/** Computes values from one row, with the kernels of operators over a batch of that row alone. */

import { operandsOf, type PlanExpression } from '#planner';
import type { Datum, Row } from '#value';
import { type Datums, denseSelection } from '../batch/vector.ts';
import { compile } from '../kernels/compile.ts';
import type { Kernel } from '../kernels/kernel.ts';

const noRegisters: readonly Datum[] = [];
const noParameters: readonly unknown[] = [];

export class RowValues {
  private readonly expressions: readonly PlanExpression[];
  private readonly ordinals: readonly number[];
  private readonly kernels: readonly (Kernel | undefined)[];
  private readonly columns: readonly Datums[];
  private readonly frame = {
    parameters: noParameters,
    registers: noRegisters,
    ahead: undefined,
    hold: undefined,
  };

  /** `ordinals` are the positions in the row of the columns to which the expressions refer by column index. */
  constructor(expressions: readonly PlanExpression[], ordinals: readonly number[]) {
    this.expressions = expressions;
    this.ordinals = ordinals;
    this.columns = ordinals.map(() => [null]);
    this.kernels = expressions.map((of) =>
      of.kind === 'arithmetic' && isKept(of) ? compile(of, this.frame) : undefined,
    );
  }

  /** Returns the values in the order of the expressions. Throws the same errors as operators would. */
  of(row: Row, parameters: readonly unknown[]): readonly Datum[] {
    const { columns, frame, expressions } = this;
    frame.parameters = parameters;
    for (let columnIndex = 0; columnIndex < columns.length; columnIndex++) {
      (columns[columnIndex] as Datums)[0] = row[this.ordinals[columnIndex] as number] as Datum;
    }
    const values: Datum[] = new Array(expressions.length);
    try {
      for (let at = 0; at < values.length; at++) values[at] = this.value(at);
      return values;
    } finally {
      // A plan outlives the request, so that its references to the request are cleared.
      frame.parameters = noParameters;
      for (const column of columns) column[0] = null;
    }
  }

  private value(at: number): Datum {
    const expression = this.expressions[at] as PlanExpression;
    if (expression.kind === 'parameter') return this.frame.parameters[expression.index] as Datum;
    if (expression.kind === 'column')
      return (this.columns[expression.columnIndex] as Datums)[0] as Datum;
    const kernel = this.kernels[at] ?? compile(expression, this.frame);
    return kernel.evaluate(this.columns, denseSelection, 1)[0] as Datum;
  }
}

/** Returns whether the kernel can be kept from row to row: it then retains numbers at most, and reads its parameters at each evaluation. */
function isKept(expression: PlanExpression): boolean {
  const { kind, type } = expression;
  if (kind === 'among' || !(type.kind === 'int64' || type.kind === 'float64')) return false;
  return operandsOf(expression).every(isKept);
}
