/** Planning and explaining in one go. */

import { finishSteps, unpaced } from '#base';
import { anyone, type Catalog } from '#catalog';
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
  const setting = { catalog, principal: anyone, options, pace: unpaced };
  return finishSteps(planProgramSteps(program, { result }, setting));
}

export function explainProgram(plan: ProgramPlan): Explanation {
  return finishSteps(explainProgramSteps(plan, unpaced));
}
