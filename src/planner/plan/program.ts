/** The plan of a whole program, which the executor runs statement by statement. */

import type { Needs } from '#access';
import type { Catalog, CatalogEffect, PolicyClaim, Table, TransitionControl } from '#catalog';
import type { Cardinality, Literal, RowsNode, SliceNode, TextPart } from '#lir';
import type { Datum, OutputColumn, Row, ScalarType } from '#value';
import type { TableEstimate } from '../cost/table-rows.ts';
import type { ColumnsUsed } from '../facts/columns-used.ts';
import type { ReadBound } from './read-bound.ts';
import type { BindingPlan, RelationPlan } from './relation.ts';

/** A relation with its bindings. Each binding uses only earlier ones. */
export interface QueryPlan {
  readonly bindings: readonly BindingPlan[];
  readonly root: RelationPlan;
  readonly registerCount: number;
  /** Number of relations and expressions in the query. The time to build the operators grows with it. */
  readonly parts: number;
  /** Fingerprint of the statement without literals (`familyOf`); absent if no feedback is collected. */
  readonly family?: string;
  /** Number of the feedback correction with which the plan was made; absent if no feedback is collected. */
  readonly correction?: number;
  /** Columns of the result. `nullable` is the actual nullability, not the declared one. */
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
  /** Id of the `rows` node, if the input consists of literal rows of the document. */
  readonly rowsNode?: string;
  /** Only of a create: whether numbers of `increment` and the result follow the order of the input. */
  readonly ordered?: boolean;
  /** The policies that apply to the rows; absent if there are none. */
  readonly policies?: MutationPolicies;
  /** All columns of the table, in catalog order. */
  readonly output: readonly OutputColumn[];
}

/**
 * Queries over the rows that a mutation changes (the source `changed`), with their numbers as an additional last column. Each returns the numbers of the
 * rows that the policies permit. An absent query permits all rows.
 */
export interface MutationPolicies {
  /** For stored rows, before an update or delete. */
  readonly before?: QueryPlan;
  /** For complete new rows. */
  readonly after?: QueryPlan;
}

export interface CatalogStatementPlan {
  readonly kind: 'catalog';
  readonly name: string;
  readonly effects: readonly CatalogEffect[];
  /** Control object of the transition that the statement starts. */
  readonly control?: TransitionControl;
}

export type StatementPlan = (QueryStatementPlan | MutationStatementPlan | CatalogStatementPlan) & {
  /** The catalog against which the statement runs. The catalog includes the changes of all earlier catalog statements. */
  readonly catalog: Catalog;
  /** Whether a later statement or the response uses its rows. */
  readonly isReferenced: boolean;
};

/**
 * The object of the document from which a parameter comes, and the type as which its text is read. For a `count`, `from` and `to` are the class of values
 * for which the plan is correct and well chosen. The text of a `text_part` is not empty.
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

/** A lookup of a row by its primary key. */
export interface PointLookup {
  readonly table: Table;
  /** Parameter index of each member of the key, in key order. A NULL finds no row. */
  readonly key: readonly number[];
}

export interface ProgramPlan {
  /** One plan for each statement, in document order. */
  readonly statements: readonly StatementPlan[];
  /** The document is a single relation. The relation is planned as a statement that does not occur in the document. */
  readonly isQuery: boolean;
  /** Only for a query: the columns that affect its result, regardless of the access paths. */
  readonly columnsUsed: ColumnsUsed | undefined;
  /** Name of the statement whose result is returned; `undefined` returns JSON null. */
  readonly result: string | undefined;
  readonly isReadOnly: boolean;
  /** The scopes and actions that its principal needs, at each run. */
  readonly needs: Needs;
  /** Maximum number of rows that it reads by key; `undefined` if it might also read by scans. */
  readonly readBound: ReadBound | undefined;
  /**
   * The scans of a read-only program that reads only rows by their primary keys; `undefined` for any other program and for more than a few scans.
   * The list is also `undefined` if the plan depends on the size of tables, because another process may count them differently.
   */
  readonly pointLookups: readonly PointLookup[] | undefined;
  readonly catalog: Catalog;
  /** The catalog after all statements. This catalog is the same object as `catalog` if no catalog statement had an effect. */
  readonly catalogAfter: Catalog;
  /** Schema ids of the tables that the program reads or writes. A change of one of them between planning and commit is a conflict. */
  readonly tables: ReadonlySet<number>;
  /** The tables whose counted size influenced the plan. */
  readonly tableEstimates: readonly TableEstimate[];
  readonly parameters: readonly Parameter[];
  /** The source of each parameter in the document. The plan stays valid for other texts at these positions, with their new values as parameters. */
  readonly sources: readonly (ParameterSource | undefined)[];
  /** The parameters that are claims of the principal. They are NULL in the plan, and have their value only while it runs. */
  readonly claims: readonly ClaimParameter[];
  /** Whether policies apply to rows that the program reads or changes. */
  readonly isPoliced: boolean;
}

export interface ClaimParameter {
  readonly index: number;
  readonly claim: PolicyClaim;
}
