/** The document types of PIR, exactly as on the wire (docs/pir.md §1). */

import type { CatalogChange, PolicyChange, TransitionStart } from '#catalog';
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
  /** Only of a `create`: the numbers of `increment` and the result follow the order of the relation. */
  readonly ordered?: boolean;
}

/** A catalog change as the catalog defines it, with the name of the statement. On the wire there is no change of policies. */
export type CatalogStatement = (CatalogChange | PolicyChange) & { readonly name: string };

/**
 * The start of a transition, with the name of the statement. `after` contains the names of earlier starts of the program that have to be ready
 * first.
 */
export type TransitionStatement = TransitionStart & {
  readonly name: string;
  readonly after?: readonly string[];
};

export type Statement =
  | RelationalStatement
  | MutationStatement
  | CatalogStatement
  | TransitionStatement;
