/** Transactions that append to lists and read them; a list is a range of rows, and an append counts the rows before it. */

import type { Attempt, Ended, Workload } from './drive.ts';
import type { Observed, Step } from './history.ts';
import { arraysOf, Chain, col, compare, int, statement } from './lir.ts';

export interface StepWorkload extends Workload {
  readonly history: Observed[];
}

export function lists(keys: number, stepsMax = 4): StepWorkload {
  const history: Observed[] = [];
  let nextValue = 1;
  const attempt = (steps: Step[]): Attempt => ({
    program: programOf(steps),
    settle: (end) => history.push(observed(steps, end, (row) => row['value'] as number)),
  });
  return {
    history,
    tables: [
      {
        name: 'element',
        columns: ['list', 'position', 'value'].map((name) => ({ name, type: 'int64' })),
        primary_key: ['list', 'position'],
      },
    ],
    setup: [],
    next: (random) =>
      attempt(
        randomSteps(random, keys, stepsMax, (key) => ({ kind: 'append', key, value: nextValue++ })),
      ),
    last: () => attempt(Array.from({ length: keys }, (_, key) => ({ kind: 'read', key }))),
  };
}

export function randomSteps(
  random: () => number,
  keys: number,
  stepsMax: number,
  write: (key: number) => Step,
): Step[] {
  return Array.from({ length: 1 + Math.floor(random() * stepsMax) }, () => {
    const key = Math.floor(random() * keys);
    return random() < 0.5 ? write(key) : { kind: 'read', key };
  });
}

/** With what the reads saw, if there was an answer. */
export function observed(
  steps: readonly Step[],
  end: Ended,
  cellOf: (row: Record<string, unknown>) => number,
): Observed {
  const { outcome, invoked, completed } = end;
  const result = end.result as Record<string, Record<string, unknown>[]> | undefined;
  const filled = steps.map((step, i): Step => {
    const rows = result?.[`s${i}`];
    return step.kind === 'read' && rows !== undefined ? { ...step, seen: rows.map(cellOf) } : step;
  });
  return { steps: filled, outcome, invoked, completed };
}

function programOf(steps: readonly Step[]): unknown {
  const reads = steps.flatMap(({ kind }, i) => (kind === 'read' ? [[`s${i}`, 'position']] : []));
  return {
    statements: [...steps.map(statementOf), arraysOf('out', Object.fromEntries(reads))],
    result: 'out',
  };
}

function statementOf(step: Step, i: number): unknown {
  const of = Chain.scan('element', 'e').where(compare('eq', col('e', 'list'), int(step.key)));
  if (step.kind === 'read') return statement('query', `s${i}`, of.orderBy('position'));
  const row = of
    .count()
    .pick({ list: int(step.key), position: col('en', 'n'), value: int(step.value) });
  return statement('create', `s${i}`, row, { table: 'element' });
}
