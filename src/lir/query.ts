/** The document types of LIR, exactly as on the wire (docs/lir.md §3). A checked JSON body has this type without conversion. */

import type { FunctionName, ScalarType, TextRows } from '#value';

export interface Query {
  readonly nodes: Readonly<Record<string, Node>>;
  readonly bindings?: Readonly<Record<string, Binding>>;
  readonly root: Root;
}

export type Cardinality = 'many' | 'first' | 'exactly_one' | 'scalar';

export interface Root {
  readonly node: string;
  readonly cardinality: Cardinality;
  /** Permits `many` and `first` without an order: the rows have any order, and any of them is the first. */
  readonly unordered?: boolean;
}

export type Binding =
  | { readonly kind: 'derived'; readonly node: string }
  | {
      readonly kind: 'recursive';
      readonly anchor: string;
      readonly step: string;
      readonly accumulation: 'all' | 'new';
    };

export interface ScanNode {
  readonly kind: 'scan';
  readonly table: string;
  readonly scope: string;
}

export interface RowsNode {
  readonly kind: 'rows';
  readonly scope: string;
  readonly columns: readonly RowsColumn[];
  /** If a document has many rows, they are not parsed: `TextRows` refers to its text. */
  readonly rows: readonly (readonly (string | null)[])[] | TextRows;
}

export interface RowsColumn {
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable?: boolean;
}

export interface FilterNode {
  readonly kind: 'filter';
  readonly input: string;
  readonly predicate: Expression;
}

export interface ProjectNode {
  readonly kind: 'project';
  readonly input: string;
  readonly scope?: string;
  readonly spread?: readonly string[];
  readonly fields?: readonly Field[];
}

export interface Field {
  readonly as: string;
  readonly expr: Expression;
}

export interface JoinNode {
  readonly kind: 'join';
  readonly left: string;
  readonly right: string;
  readonly join: 'inner' | 'left';
  readonly on: Expression;
}

export interface ConcatenateNode {
  readonly kind: 'concatenate';
  readonly inputs: readonly string[];
  readonly scope: string;
}

export interface SetNode {
  readonly kind: 'intersect' | 'except';
  readonly left: string;
  readonly right: string;
  readonly quantifier: 'all' | 'distinct';
  readonly scope: string;
}

export interface AggregateNode {
  readonly kind: 'aggregate';
  readonly input: string;
  readonly scope?: string;
  readonly groups?: readonly GroupTerm[];
  readonly aggs?: readonly AggregateTerm[];
}

export interface GroupTerm {
  readonly expr: Expression;
  readonly as?: string;
}

export type AggregateFunction = 'count' | 'sum' | 'avg' | 'min' | 'max';

export interface AggregateTerm {
  readonly fn: AggregateFunction;
  readonly as: string;
  readonly arg?: Expression;
}

export interface OrderNode {
  readonly kind: 'order';
  readonly input: string;
  readonly terms: readonly OrderTerm[];
}

export interface OrderTerm {
  readonly expr: Expression;
  readonly desc?: boolean;
  /** The place of NULL: by default first in ascending order, last in descending order. */
  readonly nulls?: 'first' | 'last';
}

/** `offset` and `limit` are bigints above 2^53. */
export interface SliceNode {
  readonly kind: 'slice';
  readonly input: string;
  readonly offset?: number | bigint;
  readonly limit?: number | bigint;
}

export interface DistinctNode {
  readonly kind: 'distinct';
  readonly input: string;
}

export interface RefNode {
  readonly kind: 'ref' | 'recursive_ref';
  readonly binding: string;
  readonly scope: string;
}

export type Node =
  | ScanNode
  | RowsNode
  | FilterNode
  | ProjectNode
  | JoinNode
  | ConcatenateNode
  | SetNode
  | AggregateNode
  | OrderNode
  | SliceNode
  | DistinctNode
  | RefNode;

export type UnaryOperator = 'not' | 'negate' | 'is_null' | 'is_not_null';
export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div';
export type LogicalOperator = 'and' | 'or';
export type BinaryOperator = ComparisonOperator | ArithmeticOperator | LogicalOperator;
export type CrossingKind = 'exists' | 'first' | 'scalar' | 'array';

export type Expression =
  | { readonly kind: 'lit'; readonly value: Literal }
  | { readonly kind: 'col'; readonly scope: string; readonly column: string }
  | { readonly kind: 'unary'; readonly op: UnaryOperator; readonly expr: Expression }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'cast'; readonly expr: Expression; readonly to: ScalarType }
  | { readonly kind: 'branch'; readonly branches: readonly BranchArm[]; readonly else: Expression }
  | { readonly kind: 'coalesce'; readonly args: readonly Expression[] }
  | { readonly kind: 'call'; readonly fn: FunctionName; readonly args: readonly Expression[] }
  | {
      readonly kind: 'text_match';
      readonly value: Expression;
      readonly parts: readonly TextPart[];
      readonly comparison?: 'exact' | 'unicode_simple_fold';
    }
  | {
      readonly kind: CrossingKind;
      readonly node: string;
      /** Only of a `scalar`: the relation may have more than one row, and a second row is an error at run time. */
      readonly check?: boolean;
    }
  /** A claim of the principal. Only the conditions of row policies contain it, never a document. */
  | { readonly kind: 'claim'; readonly name: string };

export interface BranchArm {
  readonly when: Expression;
  readonly then: Expression;
}

export type TextPart =
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'any_many' };

/** An absent `value` is a typed NULL. */
export type Literal =
  | { readonly type: 'text' | 'int64' | 'float64' | 'bytes'; readonly value?: string }
  | { readonly type: 'bool'; readonly value?: boolean };
