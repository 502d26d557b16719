/** Planning and explaining in one go. */

import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Catalog } from '#catalog';
import type { Program } from '#pir';
import {
  type Explanation,
  explainProgramSteps,
  type PlanOptions,
  type ProgramPlan,
  planProgramSteps,
} from '#planner';

export function planProgram(
  program: Program,
  result: string | undefined,
  catalog: Catalog,
  options: PlanOptions,
): ProgramPlan {
  const setting = { catalog, principal: anyone, options, pace: neverYield };
  return runWithoutWaiting(planProgramSteps(program, { result }, setting));
}

export function explainProgram(plan: ProgramPlan): Explanation {
  return runWithoutWaiting(explainProgramSteps(plan, neverYield));
}
