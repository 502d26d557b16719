/** A migration plan: the work that brings a database from its schema to another, computed without its rows. */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import type { Catalog } from '#catalog';
import type { Program } from '#pir';
import type { DiffFinding } from '../finding.ts';
import type { SchemaChange } from './change.ts';
import { replacementDependencies } from './dependencies.ts';
import { type Difference, difference } from './difference.ts';
import { liveWork } from './live.ts';
import { programOf } from './program.ts';
import type { Step } from './step.ts';

export interface MigrationPlan {
  readonly difference: Difference;
  readonly changes: readonly SchemaChange[];
  /** The work to be done now; the list of statements may be empty. */
  readonly program: Program;
  /** Steps whose work is already running, with the ids of their transitions. */
  readonly matched: ReadonlyMap<Step, string>;
  readonly blocking: readonly DiffFinding[];
}

/** Maximum number of rows of a table whose foreign keys are created immediately. Keys of larger tables are validated online. */
export const immediateForeignKeyRowsMax = 10_000;

/** Plans a migration. `isLarge` selects tables above `immediateForeignKeyRowsMax`. The plan is invalid if `difference.rejections` is not empty. */
export function planMigration(
  current: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
): MigrationPlan {
  return runWithoutWaiting(planMigrationSteps(current, desired, isLarge, neverYield));
}

/** Like `planMigration`, but yields according to `pace`. */
export function* planMigrationSteps(
  current: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
  pace: YieldPolicy,
): Steps<MigrationPlan> {
  const found = yield* difference(current, desired, isLarge, pace);
  const { matched, conflicts } = liveWork(found.renamed, found.steps);
  return {
    difference: found,
    changes: found.steps.flatMap(({ change }) => change ?? []),
    program: programOf(found.steps, matched),
    matched,
    blocking: [...replacementDependencies(found.pair, found.renamed), ...conflicts],
  };
}
