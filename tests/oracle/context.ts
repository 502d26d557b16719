/** What binding knows at a place of a document, and where run-time errors are collected. */

import type { Node, Query } from '#lir';
import type { Database } from './database.ts';
import { OracleProblem } from './problem.ts';
import type { Column, Relation, Scalar } from './relation.ts';
import type { Value } from './value.ts';

/**
 * Which of several errors of one statement is reported is left open by the specification, so all of them are collected; an erring row
 * is left out and evaluation goes on. `possible` are errors of rows that a later limit may cut off: they may or may not show.
 */
export class Errors {
  certain: OracleProblem[] = [];
  readonly possible: OracleProblem[] = [];
  /** Set when the rows or their order depend on a choice that the specification leaves open. */
  isAmbiguous = false;
  private tentative = 0;

  /** The result, or undefined when it failed at run time. */
  attempt<T>(work: () => T): { readonly value: T } | undefined {
    try {
      return { value: work() };
    } catch (error) {
      if (!(error instanceof OracleProblem)) throw error;
      (this.tentative > 0 ? this.possible : this.certain).push(error);
      return undefined;
    }
  }

  /** Keeps the certain errors of `work` apart until it is known whether what it made is needed. */
  apart<T>(work: () => T): { readonly value: T; readonly settle: (isNeeded: boolean) => void } {
    const before = this.certain;
    this.certain = [];
    const value = work();
    const met = this.certain;
    this.certain = before;
    return {
      value,
      settle: (isNeeded) => (isNeeded ? this.certain : this.possible).push(...met),
    };
  }

  tentatively<T>(work: () => T): T {
    this.tentative++;
    try {
      return work();
    } finally {
      this.tentative--;
    }
  }
}

export interface Named {
  readonly columns: readonly Column[];
  readonly isOrdered?: boolean;
  rows(): readonly (readonly import('./value.ts').Value[])[];
}

/** Shared by one whole document. */
export interface Document {
  readonly query: Query;
  readonly database: Database;
  readonly errors: Errors;
  /** Every label bound so far, open or closed. */
  readonly labels: Set<string>;
  /** Results of earlier statements. */
  readonly statements: ReadonlyMap<string, Named>;
  /** Local bindings that are bound already. */
  readonly bindings: Map<string, Named>;
  /** The claims of the user; only inside of a policy. */
  readonly claim?: (name: string) => { readonly type: Scalar; readonly value: Value };
}

/** Of one place in it. */
export interface Place {
  readonly document: Document;
  /** Scopes visible here from enclosing rows. */
  readonly visible: ReadonlyMap<string, readonly Column[]>;
  /** Labels of an earlier sibling of a join or set operator: using one is a dependent join. */
  readonly siblings: ReadonlyMap<string, readonly Column[]>;
  /** The recursive binding whose anchor or step this is, if it is one. */
  readonly frontier: Frontier | undefined;
}

export interface Frontier {
  readonly name: string;
  readonly columns: readonly Column[];
  rows: readonly (readonly import('./value.ts').Value[])[];
  /** Uses of the frontier that may not stand where they stand. */
  readonly refused: ReadonlySet<Node>;
  readonly isAnchor: boolean;
  /** Uses that are bound. */
  uses: number;
}

/** The place of expressions over one row of `relation`. */
export function overRow(place: Place, relation: Relation): Place {
  const visible = new Map(place.visible);
  for (const [label, scope] of relation.scopes) visible.set(label, scope.columns);
  return { ...place, visible };
}
