/** Online transitions: what a table is being changed into while it stays in use (docs/migrations.md). */

import type { Column, ForeignKey, Index } from '../table-parts.ts';

export const transitionKinds = [
  'index_build',
  'column_replacement',
  'constraint_validation',
] as const;
export type TransitionKind = (typeof transitionKinds)[number];

/** The last three are terminal. */
export const transitionStates = [
  'waiting',
  'building',
  'catching_up',
  'validating',
  'ready',
  'failed',
  'cancelled',
] as const;
export type TransitionState = (typeof transitionStates)[number];
export type EndState = 'ready' | 'failed' | 'cancelled';
export type LiveState = Exclude<TransitionState, EndState>;

/** A transition that has not ended; it belongs to its table. Progress is not in here: it changes too often for a catalog. */
export type Transition = TransitionGoal & {
  /** The n of `tr{n}`; from the counter of physical ids. */
  readonly id: number;
  readonly state: LiveState;
  /** Ids of transitions that have to be ready first. */
  readonly prerequisites: readonly number[];
};

export type TransitionGoal =
  | { readonly kind: 'index_build'; readonly index: Index }
  | {
      readonly kind: 'column_replacement';
      /** Schema id. */
      readonly column: number;
      /** What the column becomes; its physical id holds the converted cells. */
      readonly target: Column;
    }
  | {
      readonly kind: 'constraint_validation';
      readonly name: string;
      /** Names the constraint, and the range that holds the violations. */
      readonly physicalId: number;
      readonly constraint: PendingConstraint;
    };

export type PendingConstraint =
  | { readonly kind: 'not_null'; readonly column: number }
  | { readonly kind: 'foreign_key'; readonly foreignKey: ForeignKey };

/** What later starts have to know of a transition that has ended. */
export interface EndedTransition {
  readonly id: number;
  readonly state: EndState;
}

export function isEnded(state: TransitionState): state is EndState {
  return state === 'ready' || state === 'failed' || state === 'cancelled';
}

/** Schema ids of the columns of its table that a transition is about. */
export function affectedColumns(goal: TransitionGoal): readonly number[] {
  switch (goal.kind) {
    case 'index_build':
      return goal.index.columns;
    case 'column_replacement':
      return [goal.column];
    case 'constraint_validation':
      return goal.constraint.kind === 'not_null'
        ? [goal.constraint.column]
        : goal.constraint.foreignKey.columns;
  }
}

/** The physical id that the work of a transition goes to: entries, cells, violations. */
export function physicalIdOf(goal: TransitionGoal): number {
  if (goal.kind === 'index_build') return goal.index.physicalId;
  return goal.kind === 'column_replacement' ? goal.target.physicalId : goal.physicalId;
}

/** The logical identity of what a transition makes: public, and the same before and after. */
export function objectIdOf(goal: TransitionGoal): string {
  switch (goal.kind) {
    case 'index_build':
      return `ix${goal.index.physicalId}`;
    case 'column_replacement':
      return `column:${goal.column}`;
    case 'constraint_validation':
      return `ct${goal.physicalId}`;
  }
}

/** Indexes that transitions are to build, the waiting ones too: their names are reserved. */
export function pendingIndexes(transitions: readonly Transition[] = []): readonly Index[] {
  return transitions.flatMap((one) => (one.kind === 'index_build' ? [one.index] : []));
}

/** Foreign keys that transitions are to establish, the waiting ones too. */
export function pendingForeignKeys(transitions: readonly Transition[] = []): readonly ForeignKey[] {
  return transitions.flatMap((one) => {
    if (one.kind !== 'constraint_validation' || one.constraint.kind !== 'foreign_key') return [];
    return [one.constraint.foreignKey];
  });
}
