/** Chains of joins give the same rows in whatever order what is known of the tables puts them. */

import { afterAll, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import type { PlanOptions } from '#planner';
import type { Statistics } from '#statistics';
import { checkProgram } from '#wire';
import { surveyedAs } from '../support/synopses.ts';
import { createFilled, memoryEngine } from './support/memory-engine.ts';

const options = { showPlan: false, dryRun: false };
const columns = [
  { name: 'id', type: 'int64' },
  { name: 'a', type: 'int64', nullable: true },
  { name: 'b', type: 'int64', nullable: true },
] as const;
const tables = ['t0', 't1', 't2', 't3'];

/** Linear congruential: the same numbers each time. */
function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

async function opened(statistics: Statistics, without: PlanOptions['without']): Promise<Engine> {
  const engine = await memoryEngine({
    planning: { accessPaths: 'all', crossings: 'spooled', ...(without && { without }) },
    statistics,
  });
  const below = random(42);
  for (const name of tables) {
    const indexes = [{ name: `${name}_a`, columns: ['a'] }];
    const cell = () => (below(5) === 0 ? null : String(below(3)));
    const rows = Array.from({ length: 10 }, (_, i) => [String(i), cell(), cell()]);
    await createFilled(engine, { name, columns, indexes }, rows);
  }
  return engine;
}

/** Each table has a size of its own, and a part of a key another one. */
function pretending(seed: number): Statistics {
  const size = (id: number) => [1_000, 2_000_000, 30_000, 400][(id + seed) % 4] as number;
  return {
    rowsOf: ({ id }) => size(id),
    rowsWithin: ({ id }) => size(id + 1) / 200,
    surveyed: (table) =>
      surveyedAs(table, size(table.id), {
        a: { distinctInTable: 200 },
        b: { distinctInTable: size(table.id + 2) / 7 },
      }),
    surveyOf: () => 0,
  };
}

const written = opened(pretending(0), ['join_order']);
const arranged = [0, 1, 2, 3].map((seed) => opened(pretending(seed), undefined));
afterAll(async () => {
  for (const engine of [written, ...arranged]) await (await engine).close();
});

/** Three to five relations, chained at random by equalities and other conditions, in one of the shapes that a document can have. */
function program(seed: number) {
  const below = random(seed);
  const count = 3 + below(3);
  const col = (i: number) => ({
    kind: 'col',
    scope: `s${i}`,
    column: ['id', 'a', 'b', 'a', 'b'][below(5)],
  });
  const conditions = (inside: readonly number[], next: readonly number[]) => {
    const one = (op: string) => ({
      kind: 'binary',
      op,
      left: col(inside[below(inside.length)] as number),
      right: col(next[below(next.length)] as number),
    });
    const all = [one('eq'), ...(below(2) ? [one('eq')] : []), ...(below(3) ? [] : [one('lt')])];
    return all.reduce((left, right) => ({ kind: 'binary', op: 'and', left, right }) as never);
  };
  const nodes: Record<string, object> = {};
  for (let i = 0; i < count; i++) {
    nodes[`t${i}`] = { kind: 'scan', table: tables[below(tables.length)], scope: `s${i}` };
  }
  let open = Array.from({ length: count }, (_, i) => ({ node: `t${i}`, held: [i] }));
  for (let made = 0; open.length > 1; made++) {
    const at = below(open.length - 1);
    const [left, right] = [open[at], open[at + 1]] as [(typeof open)[0], (typeof open)[0]];
    const on = conditions(left.held, right.held);
    nodes[`j${made}`] = { kind: 'join', left: left.node, right: right.node, join: 'inner', on };
    const joined = { node: `j${made}`, held: [...left.held, ...right.held] };
    open = [...open.slice(0, at), joined, ...open.slice(at + 2)];
  }
  const fields = Array.from({ length: count }, (_, i) => ({
    as: `c${i}`,
    expr: { kind: 'col', scope: `s${i}`, column: 'id' },
  }));
  nodes['p'] = { kind: 'project', input: `j${count - 2}`, scope: 'p', fields };
  const terms = fields.map(({ as }) => ({ expr: { kind: 'col', scope: 'p', column: as } }));
  nodes['o'] = { kind: 'order', input: 'p', terms };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  return checkProgram({ statements: [{ kind: 'query', name: 'q', relation }], result: 'q' });
}

test('fifty chains, each by five plans', async () => {
  let rows = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const of = program(seed * 7_919);
    const { result } = await (await written).execute({ program: () => of, ...options });
    rows += result?.rows.length ?? 0;
    for (const engine of arranged) {
      const other = await (await engine).execute({ program: () => of, ...options });
      expect(other.result?.rows).toEqual([...(result?.rows ?? [])]);
    }
  }
  expect(rows).toBeGreaterThan(100);
});
