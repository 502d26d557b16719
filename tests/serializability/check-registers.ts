/**
 * Checks a register history: every write is of a unique value; which write came before which is known where a transaction read
 * one and wrote the other, or where one was answered before the other was sent. A register starts with 0.
 */

import { addRealTime, cycleAnomalies } from './dependencies.ts';
import { DependencyGraph } from './graph.ts';
import { type Anomaly, describe, type History, type Observed, type Step } from './history.ts';

/** Of one key: the last write of a transaction, and the first read that is not of its own writes. */
interface Access {
  readonly read?: number;
  readonly written?: number;
}

export function checkRegisters(history: History): Anomaly[] {
  const anomalies: Anomaly[] = [];
  const report = (name: string, index: number, detail: string) =>
    anomalies.push({ name, detail: `${describe(history, index)}: ${detail}` });
  const writers = new Map<string, number>();
  const isFinal = new Set<string>();
  const accesses = history.map(({ steps }, index) => {
    for (const step of steps) {
      if (step.kind === 'write') writers.set(`${step.key}:${step.value}`, index);
    }
    const found = accessesOf(steps);
    for (const [key, { written }] of found) {
      if (written !== undefined) isFinal.add(`${key}:${written}`);
    }
    return found;
  });

  const readers = new Map<string, number[]>();
  for (const [index, { steps, outcome }] of history.entries()) {
    if (outcome !== 'ok') continue;
    internal(index, steps);
    for (const [key, { read }] of accesses[index] ?? []) {
      if (read === undefined) continue;
      const version = `${key}:${read}`;
      readers.set(version, [...(readers.get(version) ?? []), index]);
      if (read === 0) continue;
      const writer = writers.get(version);
      if (writer === undefined) report('garbage read', index, `nobody wrote ${version}`);
      else if (history[writer]?.outcome === 'failed') {
        report('G1a', index, `${version} is of ${describe(history, writer)}, which failed`);
      } else if (!isFinal.has(version)) {
        report('G1b', index, `${version} is a state inside ${describe(history, writer)}`);
      }
    }
  }
  const isCommitted = (index: number) => {
    const { outcome } = history[index] as Observed;
    if (outcome !== 'unknown') return outcome === 'ok';
    return [...(accesses[index] ?? [])].some(([key, { written }]) =>
      readers.has(`${key}:${written}`),
    );
  };

  const graph = new DependencyGraph(history.length);
  for (const [version, reading] of readers) {
    const writer = writers.get(version);
    if (writer === undefined) continue;
    for (const reader of reading) graph.add(writer, reader, 'wr');
  }
  for (const [index] of history.entries()) {
    if (!isCommitted(index)) continue;
    for (const [key, { read, written }] of accesses[index] ?? []) {
      if (written === undefined) continue;
      if (read !== undefined) overwrites(key, read, index);
      for (const earlier of answeredWritersBefore(key, index)) {
        overwrites(key, accesses[earlier]?.get(key)?.written as number, index);
      }
      // Every write replaces the first value.
      for (const reader of readers.get(`${key}:0`) ?? []) graph.add(reader, index, 'rw');
    }
  }
  addRealTime(graph, history, isCommitted);
  return [...anomalies, ...cycleAnomalies(graph, history)];

  function overwrites(key: number, value: number, index: number) {
    const version = `${key}:${value}`;
    const writer = writers.get(version);
    if (writer !== undefined) graph.add(writer, index, 'ww');
    for (const reader of readers.get(version) ?? []) graph.add(reader, index, 'rw');
  }

  function answeredWritersBefore(key: number, index: number): number[] {
    const { invoked } = history[index] as Observed;
    return history.flatMap(({ completed, outcome }, earlier) =>
      outcome === 'ok' && completed < invoked && accesses[earlier]?.get(key)?.written !== undefined
        ? [earlier]
        : [],
    );
  }

  function internal(index: number, steps: readonly Step[]) {
    const known = new Map<number, number>();
    for (const step of steps) {
      if (step.kind === 'write') known.set(step.key, step.value);
      if (step.kind !== 'read') continue;
      const value = step.seen?.[0] as number;
      const before = known.get(step.key);
      if (before !== undefined && before !== value) {
        report('internal', index, `it should have read ${step.key}:[${before}]`);
      }
      known.set(step.key, value);
    }
  }
}

function accessesOf(steps: readonly Step[]): Map<number, Access> {
  const found = new Map<number, Access>();
  for (const step of steps) {
    const access = found.get(step.key) ?? {};
    if (step.kind === 'write') found.set(step.key, { ...access, written: step.value });
    if (step.kind !== 'read' || step.seen === undefined) continue;
    const isOwn = access.written !== undefined || access.read !== undefined;
    if (!isOwn) found.set(step.key, { ...access, read: step.seen[0] as number });
  }
  return found;
}
