/** Plans of queries, for tests. */

import { anyone } from '#access';
import { neverYield, runWithoutWaiting, type Steps } from '#base';
import type { Catalog } from '#catalog';
import type { Query } from '#lir';
import { programOfQuery, queryName } from '#pir';
import { type PlanOptions, type PlanSetting, type ProgramPlan, planProgramSteps } from '#planner';

export function planQuerySteps(query: Query, setting: PlanSetting): Steps<ProgramPlan> {
  return planProgramSteps(programOfQuery(query), { result: queryName, isQuery: true }, setting);
}

export function planQuery(query: Query, catalog: Catalog, options: PlanOptions): ProgramPlan {
  return runWithoutWaiting(
    planQuerySteps(query, { catalog, options, principal: anyone, pace: neverYield }),
  );
}
