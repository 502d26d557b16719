/**
 * The bound tree: a query whose names are resolved, whose expressions are typed and whose literals are values. The tree consists of plain data.
 * Every column that a relation makes has an `id`, which is unique in its statement. A relation that only passes rows on keeps the ids of its
 * input.
 */

import type { PolicyClaim, Table } from '#catalog';
import type {
  AggregateFunction,
  ArithmeticOperator,
  Cardinality,
  ComparisonOperator,
  CrossingKind,
  Literal,
  LogicalOperator,
  RowsNode,
  SliceNode,
  TextPart,
  UnaryOperator,
} from '#lir';
import type { DatumType, FunctionName, Row, Scalar, ScalarType } from '#value';

export interface BoundColumn {
  readonly id: number;
  readonly name: string;
  readonly type: DatumType;
  readonly nullable: boolean;
}

interface Typed {
  readonly type: DatumType;
  readonly nullable: boolean;
}

export interface BoundLiteral extends Typed {
  readonly kind: 'literal';
  readonly value: Scalar;
  /** The literal of the document from which the value comes; absent if the planner made the literal. */
  readonly source?: Literal;
  /** The claim from which the value comes. The value is NULL in the plan, because each run has its own. */
  readonly claim?: PolicyClaim;
}

export interface BoundColumnUse extends Typed {
  readonly kind: 'column';
  readonly id: number;
}

export interface BoundUnary extends Typed {
  readonly kind: 'unary';
  readonly op: UnaryOperator;
  readonly operand: BoundExpression;
}

export interface BoundCompare extends Typed {
  readonly kind: 'compare';
  readonly op: ComparisonOperator;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
  readonly operandType: ScalarType;
}

export interface BoundArithmetic extends Typed {
  readonly kind: 'arithmetic';
  readonly op: ArithmeticOperator;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
}

/** A connective with at least two operands. Chains of one operator are flattened, which preserves the order of evaluation. */
export interface BoundLogical extends Typed {
  readonly kind: 'logical';
  readonly op: LogicalOperator;
  readonly operands: readonly BoundExpression[];
}

export interface BoundCast extends Typed {
  readonly kind: 'cast';
  readonly operand: BoundExpression;
  readonly to: ScalarType;
}

export interface BoundBranch extends Typed {
  readonly kind: 'branch';
  readonly arms: readonly { readonly when: BoundExpression; readonly then: BoundExpression }[];
  readonly otherwise: BoundExpression;
}

export interface BoundCoalesce extends Typed {
  readonly kind: 'coalesce';
  /** At least two operands. */
  readonly operands: readonly BoundExpression[];
}

export interface BoundCall extends Typed {
  readonly kind: 'call';
  readonly fn: FunctionName;
  /** Index of the overload in the registry of functions. */
  readonly overload: number;
  readonly operands: readonly BoundExpression[];
}

export interface BoundTextMatch extends Typed {
  readonly kind: 'text_match';
  readonly value: BoundExpression;
  readonly parts: readonly TextPart[];
  readonly comparison: 'exact' | 'unicode_simple_fold';
}

export interface BoundCrossing extends Typed {
  readonly kind: 'crossing';
  readonly crossing: CrossingKind;
  /** Whether a second row of a `scalar` is an error; absent if the relation has at most one row. */
  readonly isChecked?: boolean;
  readonly relation: BoundRelation;
  /** Ids of the columns of enclosing rows that the relation reads, at any depth. */
  readonly outer: ReadonlySet<number>;
}

export type BoundExpression =
  | BoundLiteral
  | BoundColumnUse
  | BoundUnary
  | BoundCompare
  | BoundArithmetic
  | BoundLogical
  | BoundCast
  | BoundBranch
  | BoundCoalesce
  | BoundCall
  | BoundTextMatch
  | BoundCrossing;

export interface BoundFold {
  readonly fn: AggregateFunction;
  readonly argument: BoundExpression | undefined;
}

export interface BoundTerm {
  readonly expression: BoundExpression;
  readonly descending: boolean;
  /** Whether NULL is last in ascending order, or first in descending order. */
  readonly movesNull?: boolean;
}

/** Properties of every relation (docs/lir.md §7). */
interface RelationFacts {
  /** Id of the LIR node from which the relation was bound. */
  readonly node: string;
  readonly columns: readonly BoundColumn[];
  readonly ordered: boolean;
  /** Upper bound of the row count; Infinity if there is none. */
  readonly rowsMax: number;
  /** Column ids of the known unique key, which breaks ties. */
  readonly key: readonly number[] | undefined;
}

export interface BoundScan extends RelationFacts {
  readonly kind: 'scan';
  /** The columns of the table, which correspond to `columns` by position. */
  readonly table: Table;
}

export interface BoundRows extends RelationFacts {
  readonly kind: 'rows';
  readonly rows: readonly Row[];
  readonly source: RowsNode;
}

export interface BoundFilter extends RelationFacts {
  readonly kind: 'filter';
  readonly input: BoundRelation;
  readonly predicate: BoundExpression;
}

export interface BoundProject extends RelationFacts {
  readonly kind: 'project';
  readonly input: BoundRelation;
  /** One expression for each of `columns`. */
  readonly fields: readonly BoundExpression[];
}

export interface BoundJoin extends RelationFacts {
  readonly kind: 'join';
  readonly join: 'inner' | 'left';
  readonly left: BoundRelation;
  readonly right: BoundRelation;
  readonly on: BoundExpression;
}

export interface BoundConcatenate extends RelationFacts {
  readonly kind: 'concatenate';
  readonly inputs: readonly BoundRelation[];
}

export interface BoundSet extends RelationFacts {
  readonly kind: 'intersect' | 'except';
  readonly left: BoundRelation;
  readonly right: BoundRelation;
  readonly quantifier: 'all' | 'distinct';
}

/** The output columns are the groups, followed by the folds. */
export interface BoundAggregate extends RelationFacts {
  readonly kind: 'aggregate';
  readonly input: BoundRelation;
  readonly groups: readonly BoundExpression[];
  readonly folds: readonly BoundFold[];
  readonly isGlobal: boolean;
}

/** The terms include the tie-breakers. */
export interface BoundOrder extends RelationFacts {
  readonly kind: 'order';
  readonly input: BoundRelation;
  readonly terms: readonly BoundTerm[];
}

export interface BoundSlice extends RelationFacts {
  readonly kind: 'slice';
  readonly input: BoundRelation;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly source: SliceNode;
  /** The document has an offset, and any other offset would be valid too, because the input is ordered. */
  readonly isOffsetFree: boolean;
}

export interface BoundDistinct extends RelationFacts {
  readonly kind: 'distinct';
  readonly input: BoundRelation;
}

export interface BoundReference extends RelationFacts {
  readonly kind: 'reference';
  /** `changed`: the rows that a mutation is about to change, which a policy tests. */
  readonly source: { readonly kind: 'binding' | 'statement' | 'changed'; readonly name: string };
}

export interface BoundFrontier extends RelationFacts {
  readonly kind: 'frontier';
  readonly binding: string;
}

export type BoundRelation =
  | BoundScan
  | BoundRows
  | BoundFilter
  | BoundProject
  | BoundJoin
  | BoundConcatenate
  | BoundSet
  | BoundAggregate
  | BoundOrder
  | BoundSlice
  | BoundDistinct
  | BoundReference
  | BoundFrontier;

export type BoundBinding =
  | { readonly kind: 'derived'; readonly name: string; readonly relation: BoundRelation }
  | {
      readonly kind: 'recursive';
      readonly name: string;
      readonly anchor: BoundRelation;
      readonly step: BoundRelation;
      /** For each column of the anchor: the position of the corresponding column in the step. */
      readonly stepPositions: readonly number[];
      readonly accumulation: 'all' | 'new';
      readonly columns: readonly BoundOutput[];
    };

/** A column of a finished result. The column has no id, because each reference to the result makes its own. */
export type BoundOutput = Omit<BoundColumn, 'id'>;

export interface BoundQuery {
  /** Each binding refers only to earlier ones. */
  readonly bindings: readonly BoundBinding[];
  readonly root: BoundRelation;
  readonly cardinality: Cardinality;
  /** Number of relations and expressions, including nested ones. */
  readonly parts: number;
}
