/** What queries are made of: steps on top of each other, and expressions, which hold queries in turn. */

import type { Code } from '../table-info.ts';
import type { LirType } from '../wire/codec.ts';
import type { Call, Row, Schema, TableShape, ValueReader } from './table.ts';

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
type StepOver =
  | { readonly kind: 'same' }
  | { readonly kind: 'all' | 'distinct' }
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

export type ExTerm =
  | { readonly kind: 'lit'; readonly value: unknown }
  /** A value that is known when a prepared query runs: which one, of which values. */
  | { readonly kind: 'param'; readonly at: number; readonly of: unknown }
  /** `owner`: the document whose rows it is of. */
  | {
      readonly kind: 'col';
      readonly scope: string;
      readonly column: string;
      readonly owner: number;
    }
  | { readonly kind: 'unary'; readonly op: string; readonly of: Ex }
  | { readonly kind: 'binary'; readonly op: string; readonly left: Ex; readonly right: Ex }
  /** The same value, which comes back in another way. */
  | { readonly kind: 'as'; readonly of: Ex }
  | { readonly kind: 'cast'; readonly of: Ex; readonly to: LirType }
  | {
      readonly kind: 'branch';
      readonly arms: readonly (readonly [when: Ex, then: Ex])[];
      readonly last: Ex;
    }
  | { readonly kind: 'coalesce'; readonly args: readonly Ex[] }
  | {
      readonly kind: 'text_match';
      readonly of: Ex;
      readonly pattern: readonly unknown[];
      readonly isFolded: boolean;
    }
  | { readonly kind: 'in'; readonly of: Ex; readonly values: readonly Ex[] }
  /** Whether there is a row; the only value of the only row. */
  | { readonly kind: 'exists' | 'scalar'; readonly rows: Asked }
  | { readonly kind: 'fold'; readonly fn: string; readonly of: Ex | undefined };

/** A value of each row. The methods that make further ones are those of expression.ts. */
export class Ex {
  readonly term: ExTerm;
  /** How the value comes back. */
  readonly code: Code;
  readonly nullable: boolean;
  /** Of a column, once it was wanted. */
  text: string | undefined;
  /** Of nested rows: how they are read. */
  nested: { readonly read: ValueReader } | undefined;

  constructor(term: ExTerm, code: Code, nullable: boolean) {
    this.term = term;
    this.code = code;
    this.nullable = nullable;
    this.text = undefined;
    this.nested = undefined;
  }
}

/** Term of an order. */
export class OrderTerm {
  readonly ex: Ex;
  readonly desc: boolean;
  constructor(ex: Ex, desc: boolean) {
    this.ex = ex;
    this.desc = desc;
  }
}
