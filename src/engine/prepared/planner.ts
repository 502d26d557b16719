/** Plans programs for the current state. */

import { authorize, requireScopes } from '#access';
import { runSteps } from '#base';
import type { Catalog } from '#catalog';
import type { ProgramTrace } from '#executor';
import { checkEnvelope, type Program } from '#pir';
import { type ProgramPlan, planProgramSteps, scopesOf } from '#planner';
import type { RequestContext } from '../admission/request-context.ts';
import type { Database } from '../database.ts';
import type { EngineMeters } from '../meters.ts';
import { refuseWrites } from '../read-only.ts';
import type { ProgramRequest } from '../response.ts';
import { PreparedProgram } from './prepared-program.ts';

/** The state whose catalog is used after the program is available. */
interface CatalogState {
  readonly catalog: Catalog;
}

export class Planner {
  private readonly database: Database;
  private readonly seconds: EngineMeters['planning'];

  constructor(database: Database, seconds: EngineMeters['planning']) {
    this.database = database;
    this.seconds = seconds;
  }

  /**
   * Plans a program within the deadline of its request, for the current catalog of `state`. The catalog may have changed
   * if the planner had to wait.
   */
  plan(
    request: ProgramRequest,
    requestContext: RequestContext,
    state: CatalogState = this.database,
  ): PreparedProgram | Promise<PreparedProgram> {
    const program = request.program();
    const prepare = (it: Program) => this.prepared(it, request, requestContext, state);
    return program instanceof Promise ? program.then(prepare) : prepare(program);
  }

  private prepared(
    program: Program,
    { authority = 'program', isQuery = false, dryRun, basis, isWithoutRows }: ProgramRequest,
    requestContext: RequestContext,
    state: CatalogState,
  ): PreparedProgram | Promise<PreparedProgram> {
    const { isReadOnly, mode } = this.database;
    // Before anything is bound: a principal without the scope must not learn names from the errors of a statement.
    for (const it of program.statements) requireScopes(requestContext.principal, scopesOf(it));
    if (isReadOnly && dryRun !== true) refuseWrites(program);
    const named = checkEnvelope(program, { mode, authority });
    const result = isWithoutRows === true ? undefined : named;
    const catalog = basis?.catalog() ?? state.catalog;
    const made = this.planned(program, { result, isQuery }, catalog, requestContext);
    const prepare = (plan: ProgramPlan) => {
      authorize(requestContext.principal, plan.needs);
      return new PreparedProgram(authority === 'migration' ? inOneVersion(plan) : plan);
    };
    return made instanceof Promise ? made.then(prepare) : prepare(made);
  }

  private planned(
    program: Program,
    use: Parameters<typeof planProgramSteps>[1],
    catalog: Catalog,
    { budget, trace, principal }: RequestContext,
  ): ProgramPlan | Promise<ProgramPlan> {
    const { planning: options, statistics, experience, world } = this.database;
    const setting = { catalog, principal, options, statistics, experience, pace: budget };
    const plan = () => runSteps(planProgramSteps(program, use, setting), budget);
    const { clock } = world;
    const fromMs = clock.monotonicMs();
    const made = trace === undefined ? plan() : timedPlan(trace, plan);
    const isOver = () => this.seconds.add((clock.monotonicMs() - fromMs) / 1000);
    if (made instanceof Promise) void made.then(isOver, isOver);
    else isOver();
    return made;
  }
}

/** Reduces the catalog versions of a migration to one, regardless of the number of statements that change the schema. */
function inOneVersion(plan: ProgramPlan): ProgramPlan {
  const { catalog, catalogAfter } = plan;
  const version = catalog.version + 1;
  if (catalogAfter.version <= version) return plan;
  return { ...plan, catalogAfter: { ...catalogAfter, version } };
}

async function timedPlan(
  trace: ProgramTrace,
  plan: () => ProgramPlan | Promise<ProgramPlan>,
): Promise<ProgramPlan> {
  const from = trace.clock.monotonicMs();
  try {
    trace.plan = await plan();
    return trace.plan;
  } finally {
    trace.planningMs += trace.clock.monotonicMs() - from;
  }
}
