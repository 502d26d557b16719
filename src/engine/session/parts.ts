/** The parts of an engine that its open transactions share. */

import type { Deadlines } from '#executor';
import type { Admission } from '../admission/admission.ts';
import type { Database } from '../database.ts';
import type { ExclusiveCommits } from '../exclusive-commits.ts';
import type { Observer } from '../observer.ts';
import type { Planner } from '../prepared/planner.ts';
import type { WriteGates } from '../write-gates.ts';
import type { OpenTransactionLimits } from './limits.ts';

export interface EngineParts {
  readonly database: Database;
  readonly admission: Admission;
  readonly exclusive: ExclusiveCommits;
  readonly gates: WriteGates;
  readonly observer: Observer;
  readonly planner: Planner;
}

export interface SessionParts extends EngineParts {
  readonly limits: OpenTransactionLimits;
  /** Deadlines of idle time and of total time. */
  readonly deadlines: Deadlines;
  /** Called once for each transaction when it has ended. */
  closed(id: string): void;
}
