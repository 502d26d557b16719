/** What a query is made of: one step on top of others. */

import type { Code } from '../table-info.ts';
import type { Ex, OrderTerm } from './expression.ts';
import type { Call, Row, Schema, TableShape } from './table.ts';

/** How many rows the query stands for: an array, an object or null, an object. */
export type Card = 'many' | 'maybe' | 'one';

export interface Asked {
  readonly step: Step;
  readonly card: Card;
  /** Proven by key: no order is needed. */
  readonly isSingle: boolean;
  readonly name: string | undefined;
}

export interface RowsParts {
  readonly columns: readonly { name: string; code: Code; nullable: boolean; member?: string }[];
  readonly cells: readonly (readonly Ex[])[];
}

export interface LookedUp {
  readonly of: Call;
  readonly values: readonly unknown[];
}

export interface PagePlan {
  /** The rows behind the cursor. */
  readonly kept: Ex | undefined;
  readonly terms: readonly OrderTerm[];
  readonly fields: unknown;
}

/** A step without its input: rows that are those of the input, or made of them. */
export type StepOver =
  | { readonly kind: 'same' | 'all' | 'distinct' }
  | { readonly kind: 'shared' }
  | { readonly kind: 'where'; readonly predicate: Call }
  | ({ readonly kind: 'whereIn' } & LookedUp)
  | { readonly kind: 'order'; readonly terms: Call | undefined }
  | {
      readonly kind: 'slice';
      readonly offset: number | undefined;
      readonly limit: number | undefined;
    }
  | { readonly kind: 'select'; readonly fields: Call }
  | { readonly kind: 'group'; readonly keys: Call | undefined; readonly folds: Call }
  /** The first rows behind a cursor: `plan` is told what callbacks get of a row, and its key. */
  | {
      readonly kind: 'page';
      readonly plan: (args: readonly Row[], key: readonly Ex[]) => PagePlan;
      readonly limit: number;
    }
  /** `input` is the anchor; `round` reads the rows of the round before by `self`. */
  | {
      readonly kind: 'recursive';
      readonly round: Asked;
      readonly self: Asked;
      readonly accumulation: 'new' | 'all';
    };

/** A step without its two inputs. */
export type StepBeside =
  | { readonly kind: 'join'; readonly join: 'inner' | 'left'; readonly on: Call }
  | { readonly kind: 'union' }
  | { readonly kind: 'intersect' | 'except'; readonly quantifier: 'all' | 'distinct' };

type Leaf =
  | { readonly kind: 'scan'; readonly schema: Schema; readonly table: TableShape }
  | {
      readonly kind: 'ref';
      readonly schema: Schema;
      readonly table: TableShape;
      readonly statement: unknown;
    }
  | { readonly kind: 'refQuery'; readonly of: Asked; readonly statement: unknown }
  | ({ readonly kind: 'rows' } & RowsParts)
  | { readonly kind: 'self'; readonly anchor: Asked };

export type Step =
  | Leaf
  | (StepOver & { readonly input: Asked })
  | (StepBeside & { readonly input: Asked; readonly right: Asked });
