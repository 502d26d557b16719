/** Transactions that read and write registers: rows found by their key. */

import type { Attempt } from './drive.ts';
import type { Observed, Step } from './history.ts';
import { arraysOf, Chain, col, compare, int, statement } from './lir.ts';
import { observed, randomSteps, type StepWorkload } from './lists.ts';

export function registers(keys: number, stepsMax = 4): StepWorkload {
  const history: Observed[] = [];
  let nextValue = 1;
  const attempt = (steps: Step[]): Attempt => ({
    program: programOf(steps),
    settle: (end) => history.push(observed(steps, end, (row) => row['value'] as number)),
  });
  const rows = Array.from({ length: keys }, (_, key) =>
    statement('create', `k${key}`, Chain.row('r', { key, value: 0 }), { table: 'register' }),
  );
  return {
    history,
    tables: [
      {
        name: 'register',
        columns: ['key', 'value'].map((name) => ({ name, type: 'int64' })),
        primary_key: ['key'],
      },
    ],
    setup: [{ statements: rows, result: 'k0' }],
    next: (random) =>
      attempt(
        randomSteps(random, keys, stepsMax, (key) => ({ kind: 'write', key, value: nextValue++ })),
      ),
    last: () => attempt(Array.from({ length: keys }, (_, key) => ({ kind: 'read', key }))),
  };
}

function programOf(steps: readonly Step[]): unknown {
  const reads = steps.flatMap(({ kind }, i) => (kind === 'read' ? [[`s${i}`, 'key']] : []));
  return {
    statements: [...steps.map(statementOf), arraysOf('out', Object.fromEntries(reads))],
    result: 'out',
  };
}

function statementOf(step: Step, i: number): unknown {
  if (step.kind === 'read') {
    const of = Chain.scan('register', 'r').where(compare('eq', col('r', 'key'), int(step.key)));
    return statement('query', `s${i}`, of.orderBy('key'));
  }
  const row = Chain.row('r', { key: step.key, value: step.value });
  return statement('update', `s${i}`, row, { table: 'register' });
}
