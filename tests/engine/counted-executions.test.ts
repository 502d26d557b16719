/** Of which executions of a statement the work is counted: the first ones, then fewer and fewer, down to one in 1,024. */

import { expect, test } from 'bun:test';
import { checkProgram } from '#wire';
import { manualWorld } from '../support/manual-world.ts';
import { memoryEngine } from './support/memory-engine.ts';

test.each([
  [1, 1],
  [3, 3],
  [4, 3],
  [5, 4],
  [1_024, 11],
  // Behind as many as a power of two, and as a multiple of 1,024, one counts.
  [1_025, 12],
  [2_050, 13],
  [3_072, 13],
  [3_073, 14],
  [3_100, 14],
])('of %d executions %d are counted', async (executions, counted) => {
  const engine = await memoryEngine({ world: manualWorld() });
  const columns = [{ name: 'a', type: 'int64', nullable: false }];
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows: [['1']] } };
  const relation = { nodes, root: { node: 'r', cardinality: 'exactly_one' } };
  const document = checkProgram({ statements: [{ kind: 'query', name: 'q', relation }] });
  const program = () => document;
  const { prepared } = await engine.execute({ program });
  const known = { program: prepared, parameters: prepared.plan.parameters };
  for (let i = 1; i < executions; i++) await engine.execute({ program, known });
  const text = (await engine.statisticsText()).join('');
  await engine.close();
  const [model] = JSON.parse(text).models;
  expect([model.retainedExecutions, model.resourceCost.observedExecutions]).toEqual([
    executions,
    counted,
  ]);
});
