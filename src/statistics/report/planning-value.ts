/** Estimates the benefit of a better choice among the plans of a family (docs/statistics.md). */

import { boundOf, type Log2Histogram } from '#base';
import type { Model } from '../feedback/model.ts';

/** Minimum number of executions with an estimate, and of executions of each of two plans, for a planning value. */
const minimumExecutions = 3;
const million = 1_000_000;

/**
 * Returns the planning value; `undefined` if too few executions have an estimate, or if no two plans can be compared. Two comparable plans
 * need enough executions from the same facts with similar numbers of rows.
 */
export function planningValue({ rows, qError, estimated, plans }: Model, frequency: number) {
  if (estimated < minimumExecutions) return undefined;
  const rowClass = rows.bucketAt(0.5);
  const comparable: Log2Histogram[] = [];
  let executions = 0;
  let dominant = 0;
  for (const run of plans.runs.values()) {
    executions += run.executions;
    dominant = Math.max(dominant, run.executions);
    const times = run.times.get(rowClass);
    if (times !== undefined && times.total >= minimumExecutions) comparable.push(times);
  }
  if (comparable.length < 2) return undefined;
  const medians = comparable.map((times) => times.quantile(0.5));
  const error = Math.max(100, qError.quantile(0.95));
  const uncertaintyPpm = Math.floor(((error - 100) * million) / error);
  const observedPlanVariationPpm = Math.floor(((executions - dominant) * million) / executions);
  const costDifferenceMicros = Math.max(...medians) - Math.min(...medians);
  const parts = (uncertaintyPpm / million) * (observedPlanVariationPpm / million);
  return {
    score: Math.min(Number.MAX_SAFE_INTEGER, Math.floor(frequency * parts * costDifferenceMicros)),
    frequency,
    uncertaintyPpm,
    observedPlanVariationPpm,
    costDifferenceMicros,
    comparableExecutions: comparable.reduce((sum, { total }) => sum + total, 0),
    rowCountClassUpperBound: boundOf(rowClass),
    minimumExecutions,
    basis: 'observed_plan_variation_for_same_access_generation_and_row_count_class',
  };
}
