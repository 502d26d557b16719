/** Filters by `exists` give the same rows as joins and as crossings, whatever is known of the tables. */

import { afterAll, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import type { DatabaseError } from '#failure';
import type { PlanOptions } from '#planner';
import { checkProgram } from '#wire';
import { lies } from '../support/synopses.ts';
import { createFilled, memoryEngine } from './support/memory-engine.ts';

const options = { showPlan: true, dryRun: false };
const columns = [
  { name: 'id', type: 'int64' },
  { name: 'a', type: 'int64', nullable: true },
  { name: 'b', type: 'float64', nullable: true },
] as const;

/** Linear congruential: the same numbers each time. */
function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

async function opened(seed: number | undefined, without: PlanOptions['without']): Promise<Engine> {
  const engine = await memoryEngine({
    planning: { accessPaths: 'all', crossings: 'spooled', ...(without && { without }) },
    ...(seed !== undefined && { statistics: lies(seed) }),
  });
  const below = random(7);
  for (const name of ['t', 'u']) {
    const indexes = [{ name: `${name}_a`, columns: ['a'] }];
    const cell = (of: readonly string[]) =>
      below(4) === 0 ? null : (of[below(of.length)] ?? null);
    const rows = Array.from({ length: 30 }, (_, i) => [
      String(i),
      cell(['1', '2', '3', '9']),
      cell(['-0', '0', '0.5']),
    ]);
    await createFilled(engine, { name, columns, indexes }, rows);
  }
  return engine;
}

const asCrossings = opened(undefined, ['semi_join', 'late_tests']);
const asJoins = [undefined, 1, 2, 3].map((seed) => opened(seed, undefined));
afterAll(async () => {
  for (const engine of [asCrossings, ...asJoins]) await (await engine).close();
});

/** Rows of `t` by one or two tests whether rows of `u` that are equal to them in one or two columns exist. */
function program(seed: number) {
  const below = random(seed);
  const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
  const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });
  const nodes: Record<string, object> = { t: { kind: 'scan', table: 't', scope: 't' } };
  const tests = Array.from({ length: 1 + below(2) }, (_, i) => {
    const scope = `u${i}`;
    const own = binary('lt', col(scope, 'id'), {
      kind: 'lit',
      value: { type: 'int64', value: String(below(30)) },
    });
    const pair = () => {
      const name = ['a', 'b', 'a', 'id'][below(4)] as string;
      return binary('eq', col(scope, name), col('t', name === 'id' && below(2) ? 'a' : name));
    };
    const conditions: object[] = [
      pair(),
      ...(below(2) ? [pair()] : []),
      ...(below(2) ? [own] : []),
    ];
    if (below(3) === 0) {
      // Of the row of this relation, or of the one around it.
      const [inner, of] = [`w${i}`, below(3) === 0 ? 't' : scope];
      nodes[`r${i}`] = { kind: 'scan', table: 't', scope: inner };
      const equal = binary('eq', col(inner, 'a'), col(of, 'a'));
      nodes[`g${i}`] = { kind: 'filter', input: `r${i}`, predicate: equal };
      const nested = { kind: 'exists', node: `g${i}` };
      conditions.push(below(2) ? nested : { kind: 'unary', op: 'not', expr: nested });
    }
    nodes[`s${i}`] = { kind: 'scan', table: 'u', scope };
    nodes[`f${i}`] = {
      kind: 'filter',
      input: `s${i}`,
      predicate: conditions.reduce((left, right) => binary('and', left, right) as never),
    };
    const exists = { kind: 'exists', node: `f${i}` };
    return below(2) ? exists : { kind: 'unary', op: 'not', expr: exists };
  });
  const predicate = tests.reduce((left, right) => binary('and', left, right) as never);
  nodes['k'] = { kind: 'filter', input: 't', predicate };
  const isJoined = below(2) === 0;
  if (isJoined) {
    nodes['v'] = { kind: 'scan', table: 'u', scope: 'v' };
    const few = { kind: 'lit', value: { type: 'int64', value: '4' } };
    nodes['x'] = { kind: 'filter', input: 'v', predicate: binary('lt', col('v', 'id'), few) };
    const on = binary('eq', col('t', below(2) ? 'a' : 'id'), col('v', 'id'));
    nodes['j'] = { kind: 'join', left: 'k', right: 'x', join: 'inner', on };
  }
  const terms = ['t', ...(isJoined ? ['v'] : [])].map((scope) => ({ expr: col(scope, 'id') }));
  const fields = terms.map((_, i) => ({ as: `f${i}`, expr: col(i === 0 ? 't' : 'v', 'id') }));
  nodes['o'] = { kind: 'order', input: isJoined ? 'j' : 'k', terms };
  nodes['p'] = { kind: 'project', input: 'o', fields };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  return checkProgram({ statements: [{ kind: 'query', name: 'q', relation }], result: 'q' });
}

test('a hundred and fifty filters, each by five plans', async () => {
  let rows = 0;
  let joins = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const of = program(seed * 7_919);
    const { result, plan } = await (await asCrossings).execute({ program: () => of, ...options });
    expect(JSON.stringify(plan)).toContain('attach');
    rows += result?.rows.length ?? 0;
    for (const engine of asJoins) {
      const other = await (await engine).execute({ program: () => of, ...options });
      expect(other.result?.rows).toEqual([...(result?.rows ?? [])]);
      if (!JSON.stringify(other.plan).includes('attach')) joins++;
    }
  }
  expect(rows).toBeGreaterThan(1_000);
  expect(joins).toBeGreaterThan(200);
});

test('what the tested rows raise is raised, also where no row can match', async () => {
  const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
  const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });
  const literal = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
  const zero = binary('sub', col('t', 'id'), col('t', 'id'));
  const own = binary('eq', col('u', 'id'), literal('-1'));
  const nodes = {
    t: { kind: 'scan', table: 't', scope: 't' },
    // Of each row.
    p: {
      kind: 'project',
      input: 't',
      scope: 'p',
      fields: [
        { as: 'a', expr: col('t', 'a') },
        { as: 'x', expr: binary('div', literal('1'), zero) },
      ],
    },
    u: { kind: 'scan', table: 'u', scope: 'u' },
    f: {
      kind: 'filter',
      input: 'u',
      predicate: binary('and', own, binary('eq', col('u', 'a'), col('p', 'a'))),
    },
    k: { kind: 'filter', input: 'p', predicate: { kind: 'exists', node: 'f' } },
    o: { kind: 'order', input: 'k', terms: [{ expr: col('p', 'x') }] },
  };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  const statements = [{ kind: 'query', name: 'q', relation }];
  const of = checkProgram({ statements, result: 'q' });
  for (const engine of [asCrossings, ...asJoins]) {
    const asking = (await engine).execute({ program: () => of, ...options, showPlan: false });
    const failure = await asking.catch((error: DatabaseError) => error.failure);
    expect(failure).toMatchObject({ reason: 'division_by_zero' });
  }
});
