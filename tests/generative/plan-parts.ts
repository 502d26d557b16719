/** What the plans of a program consist of: kinds of operators, and the ways of operators that few programs have. */

import type { PreparedProgram } from '#engine';
import { type ProgramPlan, rootsOf, walkPlans } from '#planner';

type Statement = Exclude<ProgramPlan['statements'][number], { kind: 'catalog' }>;
type Plan = Parameters<Parameters<typeof walkPlans>[1]>[0];

/** `add` is told of each part of each operator. */
export function addPlanParts(prepared: PreparedProgram, add: (part: string) => void) {
  for (const statement of prepared.plan.statements) {
    if (statement.kind === 'catalog') continue;
    const point = pointPart(statement, prepared.plan.isReadOnly);
    if (point !== undefined) add(point);
    walkPlans(rootsOf(statement.query), (plan) => {
      add(plan.kind);
      for (const way of waysOf(plan)) add(`${plan.kind} ${way}`);
    });
  }
}

/** Of a statement about one row that its key names. */
function pointPart(statement: Statement, isReadOnly: boolean): string | undefined {
  const { root } = statement.query;
  const scan = root.kind === 'project' ? root.input : root;
  if (scan.kind !== 'scan' || scan.point?.parameters === undefined) return undefined;
  const place = isReadOnly ? '' : ' in a transaction';
  return `point ${statement.kind} by ${scan.access.kind}${place}`;
}

function waysOf(plan: Plan): readonly string[] {
  const ways: Readonly<Record<string, boolean>> = (() => {
    switch (plan.kind) {
      case 'scan': {
        const { access } = plan;
        const interval = access.kind === 'table' ? undefined : access.interval;
        return {
          'of an index only': plan.isCovered === true,
          'of several ranges': interval?.among !== undefined,
          'from bounds': interval?.lower !== undefined || interval?.upper !== undefined,
          'of NULL': interval?.prefix.some(({ isNull }) => isNull) === true,
          backwards: plan.reverse,
        };
      }
      case 'merge_join':
        return {
          'by several keys': plan.leftKeys.length > 1,
          'with groups': !plan.isUnique,
          left: plan.join === 'left',
          'of filtered rows': plan.left.kind === 'filter' || plan.right.kind === 'filter',
        };
      case 'attach':
        return {
          'with rows ahead': plan.crossings.some(({ ahead }) => ahead !== undefined),
          'with runs together': plan.crossings.some(({ ahead }) => ahead?.together === true),
          'of lookups': plan.crossings.some(({ registers }) => registers.length > 0),
        };
      case 'lookup_join':
        return {
          'with rows ahead': plan.ahead !== undefined,
          'with runs together': plan.ahead?.together === true,
        };
      case 'sort':
        return {
          'of first rows': plan.limit !== undefined,
          'of sorted parts': (plan.presorted ?? 0) > 0,
        };
      default:
        return {};
    }
  })();
  return Object.keys(ways).filter((way) => ways[way]);
}
