/** Requests to the engine and its responses, as data. */

import type { Catalog, TransitionControl } from '#catalog';
import type { ResultSink } from '#executor';
import type { Cardinality } from '#lir';
import type { EnvelopeRules, Program } from '#pir';
import type { OutputColumn, Row } from '#value';
import type { KnownProgram, PreparedProgram } from './prepared/prepared-program.ts';

/** A program to be executed. */
export interface ProgramRequest {
  /** Returns the checked program. Called only if no cached plan is valid, and again for each new plan. */
  readonly program: () => Program | Promise<Program>;
  /** The cached plan of the same program. */
  readonly known?: KnownProgram | undefined;
  /** Whether the document is the relation of the only statement of the program. */
  readonly isQuery?: boolean;
  /** The condition of a query whose client may already have the result. */
  readonly condition?: QueryCondition | undefined;
  readonly showPlan?: boolean;
  /** Whether the program is only planned and not executed. */
  readonly dryRun?: boolean;
  /** Whether the rows of the result are not needed. The plan then keeps and returns none. */
  readonly isWithoutRows?: boolean;
  /** Receives the result of a program that writes before it commits. If it throws, nothing is committed. */
  readonly beforeCommit?: BeforeCommit | undefined;
  /**
   * Receives the rows of the result of a read-only program while it runs, and of any program within an open transaction. The response then contains
   * no rows. If a program writes and commits by itself, the response contains the rows.
   */
  readonly sink?: ResultSink | undefined;
  /** The basis of a program that was made for one state of the database. */
  readonly basis?: ProgramBasis | undefined;
  /** The authority of the program. By default it has the rights of a user. */
  readonly authority?: EnvelopeRules['authority'];
}

/** The state that a program depends on in addition to its tables. Used once the program is available. */
interface ProgramBasis {
  /** Returns the catalog for which the program is planned. */
  readonly catalog: () => Catalog;
  /**
   * Returns whether the data from which the program was derived are unchanged. Also called when the commit is decided. If it returns false, the
   * program is derived again.
   */
  readonly holds: () => boolean;
}

/** The condition of a query. */
interface QueryCondition {
  /** Returns the `queryText` of the query. */
  readonly text: () => string;
  /** Receives the entity tag before the execution. If it returns false, nothing is executed. */
  readonly wanted: (entityTag: string) => boolean;
}

type BeforeCommit = (result: ShapedRows) => Promise<void> | undefined;

interface StatementSummary {
  readonly name: string;
  readonly affected: number;
  readonly control?: TransitionControl;
}

/** Rows with the cardinality in which they are returned. */
export interface ShapedRows {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly Row[];
  readonly cardinality: Cardinality;
}

export interface ProgramResponse {
  /** Rows of the result; `undefined` means JSON null, or for a conditional query that its client has the result. */
  readonly result: ShapedRows | undefined;
  readonly statements: readonly StatementSummary[];
  /** The explained plan, or `undefined` if the client did not ask for it or there is none. */
  readonly plan: unknown;
  readonly prepared: PreparedProgram;
  /** The tag of a conditional query. */
  readonly entityTag: string | undefined;
}
