/** Short forms for plans by hand. */

import type { Column, Table } from '#catalog';
import type {
  KeyInterval,
  PlanExpression,
  PlanFold,
  RelationPlan,
  ScanPlan,
  SortTerm,
} from '#planner';
import type { Datum, DatumType, OutputColumn, Row, ScalarType } from '#value';
import { pointKeyOf } from '../../../src/planner/plan/access-facts.ts';

let ids = 0;

export const scalar = (kind: ScalarType): DatumType => ({ kind });

export function out(...types: (ScalarType | DatumType)[]): OutputColumn[] {
  return types.map((type, i) => ({
    name: `c${i}`,
    type: typeof type === 'string' ? scalar(type) : type,
    nullable: true,
  }));
}

export const node = (output: readonly OutputColumn[]) => ({ id: ++ids, output, estimatedRows: 1 });

/** Parameters of the plan under construction. */
export class Parameters {
  readonly values: (Datum | readonly Row[])[] = [];

  lit(type: ScalarType, value: Datum): PlanExpression {
    this.values.push(value);
    return { kind: 'parameter', index: this.values.length - 1, type: scalar(type) };
  }

  rows(types: (ScalarType | DatumType)[], rows: readonly Row[]): RelationPlan {
    this.values.push(rows);
    return { kind: 'rows', parameter: this.values.length - 1, ...node(out(...types)) };
  }
}

export const col = (columnIndex: number, type: ScalarType): PlanExpression => ({
  kind: 'column',
  columnIndex,
  type: scalar(type),
});

export const reg = (register: number, type: ScalarType): PlanExpression => ({
  kind: 'register',
  register,
  type: scalar(type),
});

export const compare = (
  op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte',
  left: PlanExpression,
  right: PlanExpression,
): PlanExpression => ({
  kind: 'compare',
  op,
  left,
  right,
  operandType: left.type.kind as ScalarType,
  type: scalar('bool'),
});

export const arith = (
  op: 'add' | 'sub' | 'mul' | 'div',
  left: PlanExpression,
  right: PlanExpression,
): PlanExpression => ({ kind: 'arithmetic', op, left, right, type: left.type });

export const logical = (op: 'and' | 'or', ...operands: PlanExpression[]): PlanExpression => ({
  kind: 'logical',
  op,
  operands,
  type: scalar('bool'),
});

export const filter = (input: RelationPlan, predicate: PlanExpression): RelationPlan => ({
  kind: 'filter',
  input,
  predicate,
  ...node(input.output),
});

export const project = (input: RelationPlan, ...expressions: PlanExpression[]): RelationPlan => ({
  kind: 'project',
  input,
  expressions,
  ...node(out(...expressions.map((expression) => expression.type))),
});

export const sort = (
  input: RelationPlan,
  terms: readonly [columnIndex: number, descending?: boolean][],
  limit?: number,
): RelationPlan => ({
  kind: 'sort',
  input,
  terms: terms.map(([columnIndex, descending = false]): SortTerm => {
    const type = input.output[columnIndex]?.type.kind as ScalarType;
    return { expression: col(columnIndex, type), type, descending };
  }),
  limit,
  ...node(input.output),
});

export const slice = (input: RelationPlan, offset: number, limit?: number): RelationPlan => ({
  kind: 'slice',
  input,
  offset,
  limit,
  ...node(input.output),
});

export const aggregate = (
  input: RelationPlan,
  groups: PlanExpression[],
  folds: PlanFold[],
): RelationPlan => ({
  kind: 'aggregate',
  input,
  groups,
  folds,
  isGlobal: groups.length === 0,
  ...node(out(...groups.map((group) => group.type), ...folds.map((fold) => fold.type))),
});

export const fold = (fn: PlanFold['fn'], argument?: PlanExpression): PlanFold => ({
  fn,
  argument,
  type: fn === 'count' ? scalar('int64') : fn === 'avg' ? scalar('float64') : type(argument),
});

const type = (expression: PlanExpression | undefined): DatumType =>
  expression?.type ?? scalar('int64');

export const hashJoin = (
  join: 'inner' | 'left',
  left: RelationPlan,
  right: RelationPlan,
  more: {
    readonly keys: readonly [PlanExpression, PlanExpression][];
    readonly residual?: PlanExpression;
    readonly build?: 'left' | 'right';
  },
): RelationPlan => ({
  kind: 'hash_join',
  join,
  left,
  right,
  leftKeys: more.keys.map(([key]) => key),
  rightKeys: more.keys.map(([, key]) => key),
  residual: more.residual,
  build: more.build ?? 'right',
  ...node([...left.output, ...right.output]),
});

export const loopJoin = (
  join: 'inner' | 'left',
  left: RelationPlan,
  right: RelationPlan,
  on: PlanExpression,
): RelationPlan => ({
  kind: 'loop_join',
  join,
  left,
  right,
  on,
  ...node([...left.output, ...right.output]),
});

export function scan(
  table: Table,
  more: Partial<Pick<ScanPlan, 'access' | 'reverse' | 'columns' | 'isCovered' | 'readsAll'>> = {},
): ScanPlan {
  const columns = more.columns ?? table.columns;
  const access = more.access ?? ({ kind: 'table' } as const);
  const point = pointKeyOf(table, access);
  return {
    kind: 'scan',
    table,
    columns,
    access,
    ...(point && { point }),
    reverse: more.reverse ?? false,
    ...(more.isCovered && { isCovered: true }),
    ...(more.readsAll && { readsAll: true }),
    ...node(outputOf(columns)),
  };
}

export const outputOf = (columns: readonly Column[]): OutputColumn[] =>
  columns.map(({ name, type, nullable }) => ({ name, type: scalar(type), nullable }));

export const interval = (
  prefix: readonly (PlanExpression | null)[],
  more: Partial<Pick<KeyInterval, 'among' | 'lower' | 'upper'>> = {},
): KeyInterval => ({
  prefix: prefix.map((value) => ({
    value: value ?? { kind: 'parameter', index: 0, type: scalar('int64') },
    isNull: value === null,
  })),
  ...(more.among && { among: more.among }),
  lower: more.lower,
  upper: more.upper,
});
