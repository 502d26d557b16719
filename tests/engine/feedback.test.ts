/** Statements whose estimates were wrong are planned once more, with what was seen. */

import { afterEach, expect, test } from 'bun:test';
import type { Engine, PreparedProgram } from '#engine';
import type { Feedback, Statistics } from '#statistics';
import { checkProgram } from '#wire';
import { manualWorld } from '../support/manual-world.ts';
import { createFilled, memoryEngine } from './support/memory-engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'kind', type: 'int64' },
  { name: 'at', type: 'int64' },
] as const;

/** Half of the table is of kind 0. Nothing says so: a hundredth of what the store is said to have counted is assumed. */
const wrong: Statistics = {
  rowsOf: () => 10_000_000,
  rowsWithin: () => 10,
  surveyed: () => undefined,
  surveyOf: () => 1,
};

async function opened() {
  const world = manualWorld();
  const engine = await memoryEngine({ world, statistics: wrong });
  engines.push(engine);
  const rows = Array.from({ length: 4_000 }, (_, i) => [`${i}`, `${i % 2}`, `${i}`]);
  const indexes = [{ name: 'at', columns: ['at'] }];
  await createFilled(engine, { name: 't', columns, indexes }, rows);
  const { feedback } = (engine as unknown as { database: { feedback: Feedback } }).database;
  return { engine, world, feedback };
}

/** How many of a kind there are, or one by its key. */
function program(column: string, value: number) {
  const left = { kind: 'col', scope: 's', column };
  const right = { kind: 'lit', value: { type: 'int64', value: `${value}` } };
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
    n: {
      kind: 'aggregate',
      input: 'f',
      scope: 'n',
      aggs: [{ fn: 'max', as: 'm', arg: { ...left, column: 'at' } }],
    },
  };
  const relation = { nodes, root: { node: 'n', cardinality: 'exactly_one' } };
  return checkProgram({ statements: [{ kind: 'query', name: 'q', relation }], result: 'q' });
}

/** The first of a kind, by their keys. */
function limited(limit: number) {
  const left = { kind: 'col', scope: 's', column: 'kind' };
  const right = { kind: 'lit', value: { type: 'int64', value: '0' } };
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
    o: { kind: 'order', input: 'f', terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }] },
    l: { kind: 'slice', input: 'o', limit },
  };
  const relation = { nodes, root: { node: 'l', cardinality: 'many' } };
  return checkProgram({ statements: [{ kind: 'query', name: 'q', relation }], result: 'q' });
}

const run = (engine: Engine, showPlan: boolean, value = 0) =>
  engine.execute({ program: () => program('kind', value), showPlan, dryRun: false });

test('the third plan of a family knows what the first two have seen; with any literal', async () => {
  const { engine, feedback } = await opened();
  const texts: string[] = [];
  for (const value of [0, 1, 0]) {
    texts.push(JSON.stringify((await run(engine, true, value)).plan));
    feedback.publish();
  }
  expect(texts[1]).toContain('~100000 rows, assumed');
  expect(texts[2]).toContain('~2000 rows, feedback');
  const [model] = feedback.tracked.filter(
    ({ estimated, kind }) => estimated > 0 && kind === 'statement',
  );
  expect(model).toMatchObject({ executions: 3, estimated: 3 });
  expect(model?.qError.maximum).toBe(5_000);
});

test('a plan that is kept is made anew within a second, once', async () => {
  const { engine, world } = await opened();
  const { prepared } = await run(engine, false);
  const again = async (of: PreparedProgram) => {
    const requestContext = engine.requestContext({});
    world.advance(1_000);
    try {
      const known = { program: of, parameters: of.plan.parameters };
      const response = await engine.execute(
        { program: () => program('kind', 1), known },
        requestContext,
      );
      return response.prepared;
    } finally {
      requestContext.close();
    }
  };
  expect(await again(prepared)).toBe(prepared);
  const corrected = await again(prepared);
  expect(corrected).not.toBe(prepared);
  for (let i = 0; i < 5; i++) expect(await again(corrected)).toBe(corrected);
});

test('of reads by key the executions are known, and nothing is learned', async () => {
  const { engine, feedback } = await opened();
  for (let i = 0; i < 3; i++) {
    await engine.execute({ program: () => program('id', i) });
  }
  feedback.publish();
  const [model] = feedback.tracked;
  expect(model).toMatchObject({ kind: 'statement', executions: 3, estimated: 0 });
  expect(model?.variants.count).toBe(3);
  expect(model?.work?.gets.maximum).toBe(1);
  expect(feedback.correctionOf(model?.family ?? '')).toBe(0);
});

test('limits are literals: plans with small ones learn what a large one has seen', async () => {
  const { engine, feedback } = await opened();
  const families = new Set<string | undefined>();
  for (const limit of [1, 2, 3_000]) {
    const { prepared } = await engine.execute({ program: () => limited(limit) });
    const [statement] = prepared.plan.statements;
    families.add(statement?.kind === 'query' ? statement.query.family : undefined);
  }
  expect(families.size).toBe(1);
  const [family] = families;
  feedback.drain();
  expect(feedback.modelOf(family ?? '')).toMatchObject({ executions: 3 });
});
