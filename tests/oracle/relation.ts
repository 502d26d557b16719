/** What binding a node yields: its columns, what is known of its rows, and how to evaluate it. */

import type { Value } from './value.ts';

export type Scalar = 'text' | 'int64' | 'float64' | 'bool' | 'bytes';
/** `row` and `array` come from crossings. */
export type Type = Scalar | 'row' | 'array';

export interface Column {
  readonly name: string;
  readonly type: Type;
  readonly nullable: boolean;
}

/** The rows that are in scope, by scope label. */
export type Environment = Readonly<Record<string, readonly Value[]>>;

export type Row = readonly Value[];

/** A visible scope: its columns stand in the relation's row from `offset` on. */
export interface Scope {
  readonly offset: number;
  readonly columns: readonly Column[];
}

export interface Relation {
  readonly columns: readonly Column[];
  readonly scopes: ReadonlyMap<string, Scope>;
  readonly isOrdered: boolean;
  /** The rows stand in the order of literal rows. */
  readonly isListed?: boolean | undefined;
  /** Most rows there can be. */
  readonly bound: number;
  /** Positions of a known unique key, for tie-breaking. */
  readonly key: readonly number[] | undefined;
  /** For the unique-key proof: the scan beneath filters, orders and slices only, and what the filters pin. */
  readonly base?: ScanBase | undefined;
  /** There is a join beneath: a filter above may empty a side of it, so that the other side is not needed. */
  readonly skipsSides?: boolean | undefined;
  evaluate(environment: Environment): readonly Row[];
}

export interface ScanBase {
  readonly label: string;
  /** Column names of the primary key and of each unique index. */
  readonly keys: readonly (readonly string[])[];
  readonly pinned: ReadonlySet<string>;
}

/** The environment in which expressions over one row of `relation` are evaluated. */
export function withRow(outer: Environment, relation: Relation, row: Row): Environment {
  const inner: Record<string, readonly Value[]> = Object.create(outer);
  for (const [label, scope] of relation.scopes) {
    inner[label] = row.slice(scope.offset, scope.offset + scope.columns.length);
  }
  return inner;
}

/** Scopes of a row that consists of the left row and then the right one. */
export function joinScopes(left: Relation, right: Relation): ReadonlyMap<string, Scope> {
  const moved = [...right.scopes].map(
    ([label, scope]) => [label, { ...scope, offset: scope.offset + left.columns.length }] as const,
  );
  return new Map([...left.scopes, ...moved]);
}
