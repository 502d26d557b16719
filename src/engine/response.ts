/** What the engine is asked, and what it answers: data, not yet text. */

import type { Catalog, TransitionControl } from '#catalog';
import type { Cardinality } from '#lir';
import type { EnvelopeRules, Program } from '#pir';
import type { OutputColumn, Row } from '#value';
import type { KnownProgram, PreparedProgram } from './prepared/prepared-program.ts';

/** One program that is to be run. */
export interface ProgramRequest {
  /** The program, checked. Asked only where no plan of it holds, and again where one has to be made anew. */
  readonly program: () => Program | Promise<Program>;
  /** The same program as it was planned before. */
  readonly known?: KnownProgram | undefined;
  /** The document is the relation of the program's one statement. */
  readonly isQuery?: boolean;
  /** Of a query whose client may have the answer already. */
  readonly condition?: QueryCondition | undefined;
  readonly showPlan?: boolean;
  /** The program is planned, and nothing is executed. */
  readonly dryRun?: boolean;
  /** Gets the result of a program that writes before it commits: what it throws keeps everything from happening. */
  readonly beforeCommit?: BeforeCommit | undefined;
  /** Of a program that was made for one state of the database. */
  readonly basis?: ProgramBasis | undefined;
  /** By what right the program comes; absent: as a user's. */
  readonly authority?: EnvelopeRules['authority'];
}

/** What a program rests on besides its tables. Asked once the program is there. */
interface ProgramBasis {
  /** The catalog that it is planned for. */
  readonly catalog: () => Catalog;
  /** Whether what was read before it was made is still so. Asked as the commit is decided too; if not, the program is asked for again. */
  readonly holds: () => boolean;
}

/** What a conditional query is told by its client and tells it. */
interface QueryCondition {
  /** `queryText` of the query. */
  readonly text: () => string;
  /** Gets the entity tag before anything is executed; when it returns false, nothing is. */
  readonly wanted: (entityTag: string) => boolean;
}

type BeforeCommit = (result: ShapedRows) => Promise<void> | undefined;

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
  /** Undefined: JSON null; of a query with a condition, that its client has the answer. */
  readonly result: ShapedRows | undefined;
  readonly statements: readonly StatementSummary[];
  /** For people; undefined where nobody asked, or there is none. */
  readonly plan: unknown;
  readonly prepared: PreparedProgram;
  /** Of a query with a condition. */
  readonly entityTag: string | undefined;
}
