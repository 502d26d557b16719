/** Where the language leaves a result open, the oracle says so, so that no way is judged by another one's choice. */

import { expect, test } from 'bun:test';
import type { AggregateFunction } from '#lir';
import type { Program } from '#pir';
import { emptyDatabase, runProgram } from './index.ts';

test('of two mistakes in a projection the one that stands first is told', () => {
  const literal = { kind: 'lit', value: { type: 'int64', value: '1' } } as const;
  const unknown = { kind: 'exists', node: 'u' } as const;
  const nodes = {
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'a', type: 'int64' }], rows: [] },
    u: { kind: 'scan', table: 'nobody', scope: 'u' },
    p: {
      kind: 'project',
      input: 'r',
      spread: ['r'],
      fields: [
        { as: 'a', expr: literal },
        { as: 'b', expr: unknown },
      ],
    },
  } as const;
  const relation = { nodes, root: { node: 'p', cardinality: 'first' } } as const;
  const statements = [{ kind: 'query', name: 'q', relation }] as const;
  const outcome = runProgram(emptyDatabase('schema'), { statements, result: 'q' });
  expect(outcome).toMatchObject({ errors: [{ reason: 'projection_collision' }] });
});

test.each([
  ['min', ['-0', '0', '-0'], true],
  ['max', ['0', '-0', '0'], true],
  ['min', ['-0', '-0', '1'], false],
  ['max', ['-0', '0', '1'], false],
] as const)('%s of %j is open: %p', (fn, values, isAmbiguous) => {
  const outcome = runProgram(emptyDatabase('schema'), foldOver(fn, values));
  expect(outcome).toMatchObject({ kind: 'done', isAmbiguous });
});

function foldOver(fn: AggregateFunction, values: readonly string[]): Program {
  const arg = { kind: 'col', scope: 'r', column: 'f' } as const;
  const relation = {
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: [{ name: 'f', type: 'float64' }],
        rows: values.map((value) => [value]),
      },
      g: { kind: 'aggregate', input: 'r', aggs: [{ fn, as: 'f', arg }] },
    },
    root: { node: 'g', cardinality: 'first' },
  } as const;
  return { statements: [{ kind: 'query', name: 'q', relation }], result: 'q' };
}
