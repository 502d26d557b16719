/** Values computed from one row: the kernels of operators, over a batch of that row alone. */

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
  };

  /** `ordinals`: where in the row the columns are that the expressions count by column index. */
  constructor(expressions: readonly PlanExpression[], ordinals: readonly number[]) {
    this.expressions = expressions;
    this.ordinals = ordinals;
    this.columns = ordinals.map(() => [null]);
    this.kernels = expressions.map((of) =>
      of.kind === 'arithmetic' && isKept(of) ? compile(of, this.frame) : undefined,
    );
  }

  /** The values in the order of the expressions. Throws where operators would. */
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
      // A plan lives longer than the request.
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

/** Whether its kernel holds numbers at most between two rows, and asks for its parameters anew. */
function isKept(expression: PlanExpression): boolean {
  const { kind, type } = expression;
  if (kind === 'among' || !(type.kind === 'int64' || type.kind === 'float64')) return false;
  return operandsOf(expression).every(isKept);
}
