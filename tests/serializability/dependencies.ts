/** What both checkers share: real-time dependencies, and the cycles of a finished graph as anomalies. */

import type { DependencyGraph } from './graph.ts';
import { type Anomaly, describe, type History } from './history.ts';

/**
 * Each transaction comes after those that were answered before it was sent. Only the edges that do not follow from others: from the
 * answered ones that no other answered one came after.
 */
export function addRealTime(
  graph: DependencyGraph,
  history: History,
  counts: (index: number) => boolean,
): void {
  const events = history
    .flatMap(({ invoked, completed }, index) => [
      { at: invoked, index, isEnd: false },
      { at: completed, index, isEnd: true },
    ])
    .filter(({ at, index }) => counts(index) && at !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.at - b.at);
  let frontier = new Set<number>();
  const before = new Map<number, ReadonlySet<number>>();
  for (const { index, isEnd } of events) {
    if (isEnd) {
      frontier = frontier.difference(before.get(index) ?? new Set());
      frontier.add(index);
    } else {
      before.set(index, new Set(frontier));
      for (const earlier of frontier) graph.add(earlier, index, 'rt');
    }
  }
}

export function cycleAnomalies(graph: DependencyGraph, history: History): Anomaly[] {
  return graph.cycles().map((cycle) => ({
    name: graph.nameOf(cycle),
    detail: cycle
      .map((node, i) => {
        const next = cycle[(i + 1) % cycle.length] as number;
        return `${describe(history, node)} -${graph.kindOf(node, next)}->`;
      })
      .join(' '),
  }));
}
