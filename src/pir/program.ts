/** The document types of PIR, exactly as they stand on the wire (pir.md §1). */

import type {
  CatalogChange,
  ConstraintDefinition,
  IndexDefinition,
  ReplacementDefinition,
} from '#catalog';
import type { Query } from '#lir';

export interface Program {
  readonly statements: readonly Statement[];
  readonly result?: string;
}

export interface RelationalStatement {
  readonly kind: 'query';
  readonly name: string;
  readonly relation: Query;
}

export interface MutationStatement {
  readonly kind: 'create' | 'update' | 'delete';
  readonly name: string;
  readonly table: string;
  readonly relation: Query;
}

/** A catalog change is described by the catalog; a program gives it a name. */
export type CatalogStatement = CatalogChange & { readonly name: string };

export type TransitionStatement =
  | {
      readonly kind: 'start_index_build';
      readonly name: string;
      readonly table_id: number;
      readonly index: IndexDefinition;
      readonly prerequisites?: readonly string[];
      readonly after?: readonly string[];
    }
  | {
      readonly kind: 'start_column_replacement';
      readonly name: string;
      readonly table_id: number;
      readonly column_id: number;
      readonly replacement: ReplacementDefinition;
      readonly after?: readonly string[];
    }
  | {
      readonly kind: 'start_constraint_validation';
      readonly name: string;
      readonly table_id: number;
      readonly constraint: ConstraintDefinition;
      readonly after?: readonly string[];
    };

export type Statement =
  | RelationalStatement
  | MutationStatement
  | CatalogStatement
  | TransitionStatement;
