/** What the engine answers: data, not yet text. */

import type { TransitionControl } from '#catalog';
import type { Cardinality } from '#lir';
import type { ProgramPlan } from '#planner';
import type { OutputColumn, Row } from '#value';

interface StatementSummary {
  readonly name: string;
  readonly affected: number;
  readonly control?: TransitionControl;
}

/** Rows with the shape in which they are shown. */
export interface ShapedRows {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly Row[];
  readonly cardinality: Cardinality;
}

export interface ProgramResponse {
  /** Undefined: JSON null. */
  readonly result: ShapedRows | undefined;
  readonly statements: readonly StatementSummary[];
  readonly plan: unknown;
  /** The program as it was planned, to be run again with other parameters; undefined when it cannot be. */
  readonly prepared: PreparedProgram | undefined;
}

/** A plan without its parameters' values in it, good until one of its tables changes. */
export type PreparedProgram = ProgramPlan;

export interface QueryResponse {
  /** Undefined when the caller's entity tag matched: nothing was executed. */
  readonly result: ShapedRows | undefined;
  readonly entityTag: string;
  /** `queryText`, which the tag is made of; and the plan, to be run again with other parameters. */
  readonly text: string;
  readonly prepared: PreparedProgram;
}

/** What a conditional query is told by its client and tells it. */
export interface QueryCondition {
  /** `queryText` of the query. */
  readonly text: string;
  /** Gets the entity tag before anything is executed; when it returns false, nothing is. */
  readonly wanted: (entityTag: string) => boolean;
}
