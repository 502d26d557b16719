/** A plan: how a database gets from its schema to another, as far as that can be told without its rows. */

import { finishSteps, type Pace, type Steps, unpaced } from '#base';
import type { Catalog } from '#catalog';
import type { Program } from '#pir';
import type { SchemaFinding } from '../finding.ts';
import type { SchemaChange } from './change.ts';
import { replacementDependencies } from './dependencies.ts';
import { type Difference, difference } from './difference.ts';
import { liveWork } from './live.ts';
import { programOf } from './program.ts';
import type { Step } from './step.ts';

export interface MigrationPlan {
  readonly difference: Difference;
  readonly changes: readonly SchemaChange[];
  /** What has to be done now; its statements may be none. */
  readonly program: Program;
  /** Steps whose work is under way, with the id of their transition. */
  readonly matched: ReadonlyMap<Step, string>;
  readonly blocking: readonly SchemaFinding[];
}

/** Foreign keys of larger tables are validated while the table stays in use. */
export const immediateForeignKeyRowsMax = 10_000;

/** `isLarge` tells tables of more rows than that. Nothing of the plan holds when `difference.rejections` has anything. */
export function planMigration(
  current: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
): MigrationPlan {
  return finishSteps(planMigrationSteps(current, desired, isLarge, unpaced));
}

/** As `planMigration`, giving way as `pace` demands. */
export function* planMigrationSteps(
  current: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
  pace: Pace,
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
