/** The outcome of the execution of a program. */

import type { TransitionControl } from '#catalog';
import type { Cardinality } from '#lir';
import type { OutputColumn, Row } from '#value';
import type { OperatorProfile } from './operator-profile.ts';

export interface ProgramOutcome {
  /** In execution order. */
  readonly statements: readonly StatementOutcome[];
  /** Result of the selected statement; undefined stands for JSON null. */
  readonly result: ProgramResult | undefined;
}

export interface StatementOutcome {
  readonly name: string;
  readonly affected: number;
  /** The transition that the statement has started. */
  readonly control?: TransitionControl;
  /** Counters of the operators that ran, inputs before their readers; the last one is the root. */
  readonly operators: readonly OperatorProfile[];
}

export interface ProgramResult {
  readonly columns: readonly OutputColumn[];
  /** Values by column position; at most one row unless the cardinality is `many`. */
  readonly rows: readonly Row[];
  readonly cardinality: Cardinality;
}
