/** Report of a model in the response of `GET /statistics` (docs/statistics.md). */

import type { Log2Histogram } from '#base';
import type { Model } from '../feedback/model.ts';
import { type StatementWork, workMembers } from '../feedback/statement-work.ts';
import { planningValue } from './planning-value.ts';

export function modelReport(model: Model, frequency: number) {
  const { kind, family, executions, estimated, rows, qError, micros, plans } = model;
  const value = planningValue(model, frequency);
  return {
    kind,
    family,
    exactVariants: model.variants.count,
    frequency,
    retainedExecutions: executions,
    executionsWithEstimate: estimated,
    rowsP50UpperBound: rows.quantile(0.5),
    rowsP95UpperBound: rows.quantile(0.95),
    rowsMax: rows.maximum,
    qErrorP50UpperBound: qError.quantile(0.5) / 100,
    qErrorP95UpperBound: qError.quantile(0.95) / 100,
    qErrorMax: qError.maximum / 100,
    ...(micros.total > 0 && {
      executeMicrosP50UpperBound: micros.quantile(0.5),
      executeMicrosP95UpperBound: micros.quantile(0.95),
      durationEwmaMicros: Math.round(model.ewmaMicros),
    }),
    plans: [...plans.runs]
      .map(([plan, { executions }]) => ({ plan, executions }))
      .sort((a, b) => b.executions - a.executions),
    ...(value !== undefined && { planningValue: value }),
    ...(model.work !== undefined && { resourceCost: resourceCost(model.worked, model.work) }),
  };
}

function resourceCost(
  observedExecutions: number,
  work: Readonly<Record<keyof StatementWork, Log2Histogram>>,
) {
  const metrics = workMembers.map((member) => [member, metric(work[member])] as const);
  return {
    basis: 'logical_kv_work',
    observedExecutions,
    ...(Object.fromEntries(metrics) as Record<keyof StatementWork, ReturnType<typeof metric>>),
  };
}

function metric(histogram: Log2Histogram) {
  return {
    p50UpperBound: histogram.quantile(0.5),
    p95UpperBound: histogram.quantile(0.95),
    maximum: histogram.maximum,
  };
}
