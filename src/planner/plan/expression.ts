/** Physical expressions without names: every reference is a column index of the input batch, a register or a parameter. */

import type {
  AggregateFunction,
  ArithmeticOperator,
  ComparisonOperator,
  LogicalOperator,
  TextPart,
  UnaryOperator,
} from '#lir';
import type { DatumType, FunctionName, ScalarType } from '#value';

export type PlanExpression =
  /** A literal of the program. Its datum is `parameters[index]` at run time, so that plans can be shared. */
  | { readonly kind: 'parameter'; readonly index: number; readonly type: DatumType }
  | { readonly kind: 'column'; readonly columnIndex: number; readonly type: DatumType }
  /** A column of an enclosing row. The apply operator or lookup join that runs this plan sets the register. */
  | { readonly kind: 'register'; readonly register: number; readonly type: DatumType }
  | {
      readonly kind: 'unary';
      readonly op: UnaryOperator;
      readonly operand: PlanExpression;
      readonly type: DatumType;
    }
  | {
      readonly kind: 'compare';
      readonly op: ComparisonOperator;
      readonly left: PlanExpression;
      readonly right: PlanExpression;
      /** Type of both operands. */
      readonly operandType: ScalarType;
      readonly type: DatumType;
    }
  | {
      readonly kind: 'arithmetic';
      readonly op: ArithmeticOperator;
      readonly left: PlanExpression;
      readonly right: PlanExpression;
      /** Operands of type int64 are converted if `type` is float64. */
      readonly type: DatumType;
    }
  | {
      readonly kind: 'logical';
      readonly op: LogicalOperator;
      /** At least two operands, evaluated from left to right with short circuit. A left-folded chain is flattened. */
      readonly operands: readonly PlanExpression[];
      readonly type: DatumType;
    }
  /** True if the value equals one of the literals. NULL is handled as by an `or` of equalities. */
  | {
      readonly kind: 'among';
      readonly operand: PlanExpression;
      /** Indexes of parameters. */
      readonly members: readonly number[];
      readonly operandType: ScalarType;
      readonly type: DatumType;
    }
  | {
      readonly kind: 'cast';
      readonly operand: PlanExpression;
      readonly to: ScalarType;
      readonly type: DatumType;
    }
  | {
      readonly kind: 'branch';
      readonly arms: readonly { readonly when: PlanExpression; readonly then: PlanExpression }[];
      readonly otherwise: PlanExpression;
      readonly type: DatumType;
    }
  | {
      readonly kind: 'coalesce';
      /** At least two operands, evaluated from left to right up to the first value that is not NULL. */
      readonly operands: readonly PlanExpression[];
      readonly type: DatumType;
    }
  | {
      readonly kind: 'call';
      readonly fn: FunctionName;
      /** Index of the overload in the registry of functions. */
      readonly overload: number;
      readonly operands: readonly PlanExpression[];
      readonly type: DatumType;
    }
  | {
      readonly kind: 'text_match';
      readonly value: PlanExpression;
      readonly parts: readonly PlanTextPart[];
      readonly comparison: 'exact' | 'unicode_simple_fold';
      readonly type: DatumType;
    };

/** A part of a pattern. `value` is the text at planning time. If there is a `parameter`, its datum replaces the text at run time. */
export type PlanTextPart = TextPart & { readonly parameter?: number };

export interface PlanFold {
  readonly fn: AggregateFunction;
  /** The folded expression; `undefined` for a `count` of rows. */
  readonly argument: PlanExpression | undefined;
  readonly type: DatumType;
}

export interface SortTerm {
  readonly expression: PlanExpression;
  readonly type: ScalarType;
  readonly descending: boolean;
}
