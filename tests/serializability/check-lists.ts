/**
 * Checks a list-append history: every list grows by unique values, so a read tells the whole order of writes before it, and all
 * dependencies are known (Elle §3). Empty when one serial order in real-time order explains everything.
 */

import { addRealTime, cycleAnomalies } from './dependencies.ts';
import { DependencyGraph } from './graph.ts';
import { type Anomaly, describe, type History, type Observed, type Step } from './history.ts';

export function checkLists(history: History): Anomaly[] {
  const anomalies: Anomaly[] = [];
  const report = (name: string, index: number, detail: string) =>
    anomalies.push({ name, detail: `${describe(history, index)}: ${detail}` });
  const writers = writersOf(history);
  const orders = longestReads(history);
  const seen = new Set(
    [...orders].flatMap(([key, { values }]) => values.map((v) => `${key}:${v}`)),
  );
  const isCommitted = (index: number) => {
    const { outcome, steps } = history[index] as Observed;
    if (outcome !== 'unknown') return outcome === 'ok';
    return steps.some((step) => step.kind === 'append' && seen.has(`${step.key}:${step.value}`));
  };

  for (const [key, { values, reader }] of orders) {
    if (new Set(values).size < values.length) report('duplicate', reader, `key ${key}`);
    for (const value of values) {
      const writer = writers.get(`${key}:${value}`);
      if (writer === undefined) report('garbage read', reader, `nobody wrote ${key}:${value}`);
      else if (history[writer]?.outcome === 'failed') {
        report('G1a', reader, `${key}:${value} is of ${describe(history, writer)}, which failed`);
      }
    }
  }
  for (const [index, { steps, outcome }] of history.entries()) {
    if (outcome !== 'ok') {
      if (isCommitted(index)) wholeOrNothing(index, steps);
      continue;
    }
    internal(index, steps);
    wholeOrNothing(index, steps);
    for (const step of steps) {
      if (step.kind !== 'read') continue;
      const order = orders.get(step.key)?.values ?? [];
      const values = step.seen ?? [];
      if (values.some((value, i) => order[i] !== value)) {
        report('incompatible order', index, `another read of ${step.key} is [${order.join(' ')}]`);
      }
      intermediate(index, step.key, values.at(-1));
    }
  }

  const graph = new DependencyGraph(history.length);
  for (const [key, { values }] of orders) {
    const of = values.map((value) => writers.get(`${key}:${value}`) ?? -1).filter((w) => w >= 0);
    for (let i = 1; i < of.length; i++) graph.add(of[i - 1] as number, of[i] as number, 'ww');
  }
  for (const [index, { steps, outcome }] of history.entries()) {
    if (outcome !== 'ok') continue;
    for (const step of steps) if (step.kind === 'read') addRead(index, step.key, step.seen ?? []);
  }
  addRealTime(graph, history, isCommitted);
  return [...anomalies, ...cycleAnomalies(graph, history)];

  function addRead(reader: number, key: number, values: readonly number[]) {
    const last = writers.get(`${key}:${values.at(-1)}`);
    if (last !== undefined) graph.add(last, reader, 'wr');
    const following = orders.get(key)?.values[values.length];
    const overwriter = following === undefined ? undefined : writers.get(`${key}:${following}`);
    if (overwriter !== undefined) graph.add(reader, overwriter, 'rw');
  }

  /** A transaction sees its own steps. */
  function internal(index: number, steps: readonly Step[]) {
    const known = new Map<number, number[]>();
    for (const step of steps) {
      const before = known.get(step.key);
      if (step.kind === 'append') before?.push(step.value);
      if (step.kind !== 'read') continue;
      const values = [...(step.seen ?? [])];
      if (before !== undefined && before.join() !== values.join()) {
        report('internal', index, `it should have read ${step.key}:[${before.join(' ')}]`);
      }
      known.set(step.key, values);
    }
  }

  /** Everything that a committed transaction appended is there: the last read of a history reads every key. */
  function wholeOrNothing(index: number, steps: readonly Step[]) {
    for (const step of steps) {
      if (step.kind === 'append' && !seen.has(`${step.key}:${step.value}`)) {
        report('lost append', index, `${step.key}:${step.value} is nowhere`);
      }
    }
  }

  /** Nobody else sees a list between two appends of one transaction. */
  function intermediate(reader: number, key: number, last: number | undefined) {
    const writer = writers.get(`${key}:${last}`);
    if (writer === undefined || writer === reader) return;
    const own = (history[writer] as Observed).steps.filter(
      (step) => step.kind === 'append' && step.key === key,
    );
    const final = own.at(-1);
    if (final?.kind === 'append' && final.value !== last) {
      report('G1b', reader, `${key}:${last} is a state inside ${describe(history, writer)}`);
    }
  }
}

function writersOf(history: History): Map<string, number> {
  const writers = new Map<string, number>();
  for (const [index, { steps }] of history.entries()) {
    for (const step of steps) {
      if (step.kind === 'append') writers.set(`${step.key}:${step.value}`, index);
    }
  }
  return writers;
}

interface Order {
  readonly values: readonly number[];
  readonly reader: number;
}

function longestReads(history: History): Map<number, Order> {
  const longest = new Map<number, Order>();
  for (const [reader, { steps, outcome }] of history.entries()) {
    if (outcome !== 'ok') continue;
    for (const step of steps) {
      if (step.kind !== 'read') continue;
      const values = step.seen ?? [];
      const known = longest.get(step.key)?.values;
      if (known === undefined || values.length > known.length)
        longest.set(step.key, { values, reader });
    }
  }
  return longest;
}
