/** The plan of a whole program: what the executor walks, statement by statement. */

import type { Catalog, CatalogEffect, Table, TransitionControl } from '#catalog';
import type { Cardinality, Literal, RowsNode, SliceNode, TextPart } from '#lir';
import type { Datum, OutputColumn, Row, ScalarType } from '#value';
import type { TableEstimate } from '../cost/table-rows.ts';
import type { ColumnsUsed } from '../facts/columns-used.ts';
import type { ReadBound } from './read-bound.ts';
import type { BindingPlan, RelationPlan } from './relation.ts';

/** One relation with its bindings, in an order in which each uses only earlier ones. */
export interface QueryPlan {
  readonly bindings: readonly BindingPlan[];
  readonly root: RelationPlan;
  readonly registerCount: number;
  /** Relations and expressions that it was planned from: building what runs it takes time for each. */
  readonly parts: number;
  /** Its shape without literals (`familyOf`), and the correction that it was made with; absent where nobody keeps count. */
  readonly family?: string;
  readonly correction?: number;
  /** Columns of the observable result; `nullable` says what can happen, not what the language declares. */
  readonly output: readonly OutputColumn[];
}

export interface QueryStatementPlan {
  readonly kind: 'query';
  readonly name: string;
  readonly query: QueryPlan;
  readonly cardinality: Cardinality;
}

export interface MutationStatementPlan {
  readonly kind: 'create' | 'update' | 'delete';
  readonly name: string;
  readonly query: QueryPlan;
  readonly table: Table;
  /** For each column of the table in catalog order: the column index of the input row that supplies it, or -1. */
  readonly columnIndexes: readonly number[];
  /** The node, when the input is rows of the document. */
  readonly rowsNode?: string;
  /** All columns of the table, in catalog order. */
  readonly output: readonly OutputColumn[];
}

export interface CatalogStatementPlan {
  readonly kind: 'catalog';
  readonly name: string;
  readonly effects: readonly CatalogEffect[];
  /** Of a transition that the statement starts. */
  readonly control?: TransitionControl;
}

export type StatementPlan = (QueryStatementPlan | MutationStatementPlan | CatalogStatementPlan) & {
  /** The catalog that the statement runs against: after all earlier catalog statements. */
  readonly catalog: Catalog;
  /** Whether a later statement, or the answer, reads its rows. */
  readonly isReferenced: boolean;
};

/**
 * The object of the document that a parameter comes from, and the type that its text is read as. A `count` is its class: the plan is a good one, and
 * the right one, from `from` to `to`. The text of a part is not empty.
 */
export type ParameterSource =
  | { readonly kind: 'literal'; readonly literal: Literal; readonly type: ScalarType }
  | { readonly kind: 'rows'; readonly node: RowsNode }
  | {
      readonly kind: 'count';
      readonly node: SliceNode;
      readonly member: 'offset' | 'limit';
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'text_part'; readonly part: TextPart };

/** A datum, or the rows of a `rows` node. */
export type Parameter = Datum | readonly Row[];

/** A row of a table that is looked for by its primary key. */
export interface PointLookup {
  readonly table: Table;
  /** The parameter that each member of the key is, in key order. A NULL finds nothing. */
  readonly key: readonly number[];
}

export interface ProgramPlan {
  /** One for each statement of the document, in its order. */
  readonly statements: readonly StatementPlan[];
  /** The document is the relation of its one statement, which stands nowhere in it. */
  readonly isQuery: boolean;
  /** Of a query: the columns that its answer depends on, whatever the access paths are. */
  readonly columnsUsed: ColumnsUsed | undefined;
  /** Name of the statement whose result is returned; undefined: JSON null. */
  readonly result: string | undefined;
  readonly isReadOnly: boolean;
  /** The most rows that it reads by key; undefined where it is not proven that it reads in no other way. */
  readonly readBound: ReadBound | undefined;
  /**
   * The scans of a program that only reads, and reads nothing but rows by their primary keys; undefined for others, for more scans than a few, and where the
   * plan rests on the size of tables, which another process may count differently.
   */
  readonly pointLookups: readonly PointLookup[] | undefined;
  readonly catalog: Catalog;
  /** The catalog after all statements; the same object as `catalog` when no catalog statement had an effect. */
  readonly catalogAfter: Catalog;
  /** Tables (by schema id) that the program reads or writes: a change of one of them between planning and commit is a conflict. */
  readonly tables: ReadonlySet<number>;
  /** Tables whose size the plan was made for, where it was counted. */
  readonly tableEstimates: readonly TableEstimate[];
  readonly parameters: readonly Parameter[];
  /** Where each parameter stands in the document. With other texts at those places the plan holds for the new values as it is. */
  readonly sources: readonly (ParameterSource | undefined)[];
}
