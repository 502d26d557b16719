/** Compares what statements did with what their plans expected. Plans that read by whole keys alone are none of its business. */

import type { ProgramOutcome } from '#executor';
import { type PlanPart, type ProgramPlan, partsOf, type QueryPlan, shapeOf } from '#planner';
import type { Feedback, Observation } from '#statistics';

type Operators = ProgramOutcome['statements'][number]['operators'];

/** What is the same each time that a plan runs. */
interface Expected {
  readonly stamp: string;
  readonly plan: string;
  readonly parts: readonly PlanPart[];
  /** By part: its place among the operators. */
  readonly places: readonly number[];
}

export class Observer {
  private readonly feedback: Feedback;
  private readonly expected = new WeakMap<QueryPlan, Expected>();

  constructor(feedback: Feedback) {
    this.feedback = feedback;
  }

  /** Of the whole program: it is not known which statement took how long of it. */
  observe(plan: ProgramPlan, { statements }: ProgramOutcome, micros: number): void {
    for (let i = 0; i < statements.length; i++) {
      const planned = plan.statements[i];
      const outcome = statements[i];
      if (planned === undefined || outcome === undefined || planned.kind === 'catalog') continue;
      const { query } = planned;
      if (query.family === undefined) continue;
      const expected = this.expectedOf(query, plan, outcome.operators);
      const observations = observationsOf(expected, outcome.operators);
      const { stamp, plan: shape } = expected;
      const rows = outcome.affected;
      this.feedback.add(query.family, { stamp, plan: shape, rows, micros, observations });
    }
  }

  private expectedOf(query: QueryPlan, { planned }: ProgramPlan, operators: Operators): Expected {
    let expected = this.expected.get(query);
    if (expected === undefined) {
      const parts = partsOf(query);
      const places = parts.map(({ id }) => operators.findIndex((site) => site.id === id));
      expected = { stamp: stampOf(planned), plan: shapeOf(query), parts, places };
      this.expected.set(query, expected);
    }
    return expected;
  }
}

/** Tables that have been surveyed anew, or have become four times as large, are others. */
function stampOf(planned: ProgramPlan['planned']): string {
  return planned
    .map(
      ({ table, rows, survey }) =>
        `${table.physicalId} ${survey} ${Math.round(Math.log2(rows) / 2)}`,
    )
    .join();
}

function observationsOf({ parts, places }: Expected, operators: Operators): readonly Observation[] {
  const observations: Observation[] = [];
  for (let i = 0; i < parts.length; i++) {
    const { part, estimated, isCut } = parts[i] as PlanPart;
    const site = operators[places[i] as number];
    if (site === undefined || site.calls === 0) continue;
    observations.push({ part, estimated, actual: site.rowsOut, isCut });
  }
  return observations;
}
