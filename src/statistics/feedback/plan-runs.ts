/** Execution counts of the plans of a family, and the times that can be compared: those of equally many rows, for plans made from the same facts. */

import { bucketOf, Log2Histogram } from '#base';
import type { PlansState } from './model-state.ts';

const plansMax = 8;
const classesMax = 4;

interface PlanRuns {
  executions: number;
  /** Times in microseconds, by the length in bits of the number of rows. */
  readonly times: Map<number, Log2Histogram>;
}

export class Plans {
  readonly runs = new Map<string, PlanRuns>();
  private stamp = '';

  static of({ stamp, runs }: PlansState): Plans {
    const plans = new Plans();
    plans.stamp = stamp;
    for (const { plan, executions, times } of runs.slice(0, plansMax)) {
      const histograms = times
        .slice(0, classesMax)
        .map(([rowClass, counts]) => [rowClass, Log2Histogram.of(counts)] as const);
      plans.runs.set(plan, { executions, times: new Map(histograms) });
    }
    return plans;
  }

  get state(): PlansState {
    const runs = [...this.runs].map(([plan, { executions, times }]) => ({
      plan,
      executions,
      times: [...times].map(([rowClass, histogram]) => [rowClass, histogram.spread] as const),
    }));
    return { stamp: this.stamp, runs };
  }

  /** Adds an execution. If the facts (`stamp`) have changed, all earlier times are discarded. `micros` is `undefined` if the time was not measured. */
  add(
    plan: string,
    stamp: string,
    rows: number,
    micros: number | undefined,
    isForeign = false,
  ): void {
    // The times of another process with other facts cannot be compared with the times that were measured here.
    const isApart = isForeign && stamp !== this.stamp && this.stamp !== '';
    if (stamp !== this.stamp && !isApart) this.restart(stamp);
    let runs = this.runs.get(plan);
    if (runs === undefined) {
      if (this.runs.size >= plansMax) this.dropLeast();
      runs = { executions: 0, times: new Map() };
      this.runs.set(plan, runs);
    }
    runs.executions++;
    if (micros === undefined || isApart) return;
    const rowClass = bucketOf(rows);
    let times = runs.times.get(rowClass);
    if (times === undefined) {
      if (runs.times.size >= classesMax) return;
      times = new Log2Histogram();
      runs.times.set(rowClass, times);
    }
    times.add(micros);
  }

  private restart(stamp: string): void {
    this.stamp = stamp;
    for (const { times } of this.runs.values()) times.clear();
  }

  private dropLeast(): void {
    let least: string | undefined;
    let executions = Infinity;
    for (const [plan, runs] of this.runs) {
      if (runs.executions >= executions) continue;
      least = plan;
      executions = runs.executions;
    }
    if (least !== undefined) this.runs.delete(least);
  }
}
