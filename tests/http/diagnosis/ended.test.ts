/** What is told of a request that was ended before its plans could be shown. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openMemoryEngine } from '../support.ts';
import { openPeople, told } from './support.ts';

/** Explaining it gives way several times. */
const nodes: Record<string, unknown> = {};
const inputs = [...new Array(400).keys()].map((i) => {
  nodes[`s${i}`] = { kind: 'scan', table: 'nobody', scope: `p${i}` };
  return `s${i}`;
});
nodes['all'] = { kind: 'concatenate', scope: 'p', inputs };
const relation = { nodes, root: { node: 'all', cardinality: 'many' } };

/** The deadline comes when all is done but the explanation. */
async function openLate() {
  const system = systemWorld();
  let aheadMs = 0;
  const { clock } = system;
  const late = { ...clock, monotonicMs: () => clock.monotonicMs() + aheadMs };
  const engine = await openMemoryEngine('direct', { ...system, clock: late });
  const explain = engine.explainFamily.bind(engine);
  engine.explainFamily = (plan, requestContext) => {
    aheadMs += 3_600_000;
    return explain(plan, requestContext);
  };
  const { ask, makeTable, close } = await openPeople('full', { engine, clock: late });
  await makeTable({
    name: 'nobody',
    columns: [
      { name: 'id', type: 'int64', nullable: false },
      { name: 'name', type: 'text', nullable: false },
    ],
    primary_key: ['id'],
  });
  return { ask, close, headers: { 'svc-deadline-ms': '600000' } };
}

test('what is committed is answered, with a document that is truncated', async () => {
  const { ask, close, headers } = await openLate();
  const copied = { kind: 'create', name: 'copied', table: 'people', relation };
  const answer = await ask('detailed', [copied], { headers });
  expect(answer.status).toBe(200);
  expect(told(answer)).toMatchObject({ status: 'success', truncated: true, plans: [] });
  await close();
});

test('a query that has no time left for its answer is a problem, with a document that is truncated', async () => {
  const { ask, close, headers } = await openLate();
  const last = { kind: 'order', input: 'all', terms: [{ expr: idOf }] };
  const ordered = { nodes: { ...nodes, last }, root: { node: 'last', cardinality: 'many' } };
  const query = { kind: 'query', name: 'read', relation: ordered };
  const answer = await ask('detailed', [query], { headers });
  expect(told(answer)).toMatchObject({ truncated: true, plans: [] });
  await close();
});

const idOf = { kind: 'col', scope: 'p', column: 'id' };
