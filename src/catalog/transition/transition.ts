/** Online transitions: changes of a table while it stays in use (docs/migrations.md). */

import type { Column, ForeignKey, Index } from '../table-parts.ts';

export const transitionKinds = [
  'index_build',
  'column_replacement',
  'constraint_validation',
] as const;
export type TransitionKind = (typeof transitionKinds)[number];

/** The states of a transition. The last three are terminal. */
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

/**
 * A transition that has not ended. The transition belongs to its table. Its progress is stored elsewhere, because it changes too often for a
 * catalog.
 */
export type Transition = TransitionGoal & {
  /** The n of `tr{n}`, taken from the counter of physical ids. */
  readonly id: number;
  readonly state: LiveState;
  /** Ids of transitions that must become ready first. */
  readonly prerequisites: readonly number[];
};

export type TransitionGoal =
  | { readonly kind: 'index_build'; readonly index: Index }
  | {
      readonly kind: 'column_replacement';
      /** Schema id. */
      readonly column: number;
      /** The column after the replacement. Its physical id identifies the converted cells. */
      readonly target: Column;
    }
  | {
      readonly kind: 'constraint_validation';
      readonly name: string;
      /** Identifies the constraint, and the key range of its violations. */
      readonly physicalId: number;
      readonly constraint: PendingConstraint;
    };

export type PendingConstraint =
  | { readonly kind: 'not_null'; readonly column: number }
  | { readonly kind: 'foreign_key'; readonly foreignKey: ForeignKey };

/** The part of an ended transition that later starts need. */
export interface EndedTransition {
  readonly id: number;
  readonly state: EndState;
}

export function isEnded(state: TransitionState): state is EndState {
  return state === 'ready' || state === 'failed' || state === 'cancelled';
}

/** Returns the schema ids of the columns of its table that a transition affects. */
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

/** Returns the physical id of the data that a transition writes: entries, cells or violations. */
export function physicalIdOf(goal: TransitionGoal): number {
  if (goal.kind === 'index_build') return goal.index.physicalId;
  return goal.kind === 'column_replacement' ? goal.target.physicalId : goal.physicalId;
}

/** Returns the public id of the object that a transition creates. The id is the same before and after the end. */
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

/** Returns the indexes of active and waiting transitions. Their names are reserved. */
export function pendingIndexes(transitions: readonly Transition[] = []): readonly Index[] {
  return transitions.flatMap((one) => (one.kind === 'index_build' ? [one.index] : []));
}

/** Returns the foreign keys of active and waiting transitions. */
export function pendingForeignKeys(transitions: readonly Transition[] = []): readonly ForeignKey[] {
  return transitions.flatMap((one) => {
    if (one.kind !== 'constraint_validation' || one.constraint.kind !== 'foreign_key') return [];
    return [one.constraint.foreignKey];
  });
}
