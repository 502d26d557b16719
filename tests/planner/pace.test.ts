/** Long programs give way while they are bound and planned, and programs that expose too much are refused. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, type Pending, runSteps, runWithoutWaiting, type YieldPolicy } from '#base';
import type { Expression, Node } from '#lir';
import { explainProgramSteps, type PlanSetting, planProgramSteps } from '#planner';
import {
  columnsMax,
  Extent,
  orderTermsMax,
  relationColumnsMax,
} from '../../src/planner/bind/extent.ts';
import { outcomeOf } from '../support/outcome.ts';
import { planQuery, planQuerySteps } from '../support/plan-query.ts';
import { explainProgram } from '../support/plans.ts';
import {
  catalog,
  crossing,
  failureOf,
  filter,
  full,
  join,
  numbers,
  op,
  planOf,
  project,
  query,
  refusalOf,
  scan,
} from './support.ts';

/** Waits each time that `rowsMax` rows of work are done, and remembers the most work between two questions. */
class CountingPace implements YieldPolicy {
  readonly rowsMax: number;
  asked = 0;
  /** How often it was to look at the clock whatever was done before. */
  looks = 0;
  waits = 0;
  most = 0;
  private rows = 0;

  constructor(rowsMax: number) {
    this.rowsMax = rowsMax;
  }

  wait<T>(pending: Promise<T>): Promise<T> {
    return pending;
  }

  pause(rows: number): Pending | undefined {
    this.asked++;
    if (rows === Infinity) {
      this.looks++;
      return undefined;
    }
    this.most = Math.max(this.most, rows);
    this.rows += rows;
    if (this.rows < this.rowsMax) return undefined;
    this.rows = 0;
    this.waits++;
    return Promise.resolve();
  }
}

test('each change of the catalog is planned with a look at the clock before it', () => {
  const pace = new CountingPace(Infinity);
  const statements = Array.from({ length: 50 }, (_, i) => ({
    kind: 'create_table' as const,
    name: `c${i}`,
    table: {
      name: `made${i}`,
      columns: [{ name: 'id', type: 'int64' as const, nullable: false }],
      primary_key: ['id'],
    },
  }));
  runWithoutWaiting(
    planProgramSteps(
      { statements },
      { result: undefined },
      { catalog, options: full, principal: anyone, pace },
    ),
  );
  expect(pace.looks).toBeGreaterThanOrEqual(50);
});

const setting = (pace: YieldPolicy): PlanSetting => ({
  catalog,
  options: full,
  principal: anyone,
  pace,
});

function chain(count: number): Record<string, Node> {
  const nodes: Record<string, Node> = { s: scan('user', 's') };
  let at = 's';
  for (let i = 0; i < count; i++) {
    nodes[`f${i}`] = filter(at, op('gt', 's.age', i));
    at = `f${i}`;
  }
  return nodes;
}

describe('planning gives way', () => {
  test('once for each relation that is bound, for each that is compared with another, and for each that is planned', () => {
    const pace = new CountingPace(Infinity);
    planQuerySteps(query(chain(500)), setting(pace)).next();
    expect(pace.asked).toBeGreaterThanOrEqual(501);
    const lowered = new CountingPace(Infinity);
    const inputs: Record<string, Node> = {};
    for (let i = 0; i < 500; i++) inputs[`s${i}`] = scan('user', `s${i}`);
    inputs['c'] = { kind: 'concatenate', inputs: Object.keys(inputs), scope: 'c' };
    planQuerySteps(query(inputs), setting(lowered)).next();
    expect(lowered.asked).toBeGreaterThanOrEqual(3 * 500 + 2);
    expect(lowered.most).toBeLessThanOrEqual(64);
  });

  test('within literal rows, counted in cells', () => {
    const pace = new CountingPace(1_024);
    const many = numbers('r', ...Array.from({ length: 10_240 }, (_, i) => i));
    expect(runSteps(planQuerySteps(query({ r: many }), setting(pace)), pace)).toBeInstanceOf(
      Promise,
    );
    expect(pace.waits).toBe(1);
    expect(pace.most).toBeLessThanOrEqual(64);
  });

  test('within a node of many expressions', () => {
    const pace = new CountingPace(Infinity);
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, 's.age']));
    const nodes = { s: scan('user', 's'), p: project('s', fields) };
    planQuerySteps(query(nodes), setting(pace)).next();
    expect(pace.asked).toBeGreaterThan(1_000);
  });

  const any = (terms: number): Expression =>
    terms === 1 ? op('eq', 's.age', 1) : op('or', any(terms >> 1), any(terms - (terms >> 1)));

  const large: Readonly<Record<string, (value: Expression) => Record<string, Node>>> = {
    'a predicate': (value) => ({ s: scan('user', 's'), r: filter('s', value) }),
    'a projection': (value) => ({ s: scan('user', 's'), r: project('s', { v: value }) }),
    'the condition of a join': (value) => ({
      s: scan('user', 's'),
      o: scan('user', 'o'),
      j: join('s', 'o', value),
      r: project('j', { id: 's.id' }),
    }),
    'a group key': (value) => ({
      s: scan('user', 's'),
      r: {
        kind: 'aggregate',
        input: 's',
        scope: 'a',
        groups: [{ expr: value, as: 'v' }],
        aggs: [],
      },
    }),
  };

  test.each(Object.entries(large))(
    'between the walks over %s of thousands of terms',
    (_, nodesOf) => {
      const looksAt = (terms: number) => {
        const pace = new CountingPace(Infinity);
        runWithoutWaiting(planQuerySteps(query(nodesOf(any(terms)), 'exactly_one'), setting(pace)));
        return pace.looks;
      };
      expect(looksAt(5_000)).toBeGreaterThanOrEqual(looksAt(10) + 4);
    },
  );

  test('after a large expression is bound, by what it has', () => {
    const pace = new CountingPace(Infinity);
    const nodes = { s: scan('user', 's'), r: project('s', { v: any(1_000), w: any(1_000) }) };
    runWithoutWaiting(planQuerySteps(query(nodes, 'exactly_one'), setting(pace)));
    expect(pace.most).toBeGreaterThan(1_500);
  });

  test('inside a crossing', () => {
    const pace = new CountingPace(Infinity);
    const nodes = {
      ...chain(200),
      o: scan('user', 'o'),
      r: filter('o', crossing('exists', 'f199')),
    };
    planQuerySteps(query(nodes), setting(pace)).next();
    expect(pace.asked).toBeGreaterThanOrEqual(203);
  });

  test('and comes to the same plan as in one go', async () => {
    const nodes = {
      ...chain(50),
      o: scan('user', 'o'),
      r: filter('o', op('and', op('gt', 'o.age', 1), crossing('exists', 'f49'))),
    };
    const pace = new CountingPace(1);
    expect(await runSteps(planQuerySteps(query(nodes), setting(pace)), pace)).toEqual(
      planQuery(query(nodes), catalog, full),
    );
  });

  test('a wait that fails ends it, also inside a crossing', async () => {
    const nodes = {
      s: scan('user', 's'),
      o: scan('user', 'o'),
      r: filter('o', crossing('exists', 's')),
    };
    let asked = 0;
    const pause = () => (++asked === 3 ? Promise.reject(new Error('too late')) : undefined);
    const pace = { ...neverYield, pause };
    const planned = runSteps(planQuerySteps(query(nodes), setting(pace)), pace);
    expect(await outcomeOf(planned)).toThrow('too late');
  });
});

describe('the first violation counts, in the order of the document', () => {
  const inner = { x: scan('nope', 'x') };

  test('an operand before a crossing, then the crossing', () => {
    const outer = { ...inner, o: scan('user', 'o') };
    const unknown = op('gt', 'o.nope', 1);
    const exists = crossing('exists', 'x');
    expect(refusalOf(query({ ...outer, r: filter('o', op('and', unknown, exists)) }))).toBe(
      'unknown_column /nodes/r/predicate/left/left',
    );
    expect(refusalOf(query({ ...outer, r: filter('o', op('and', exists, unknown)) }))).toBe(
      'unknown_table /nodes/x',
    );
  });

  test('a crossing in a branch is refused before what it leads to is looked at', () => {
    const branch = {
      kind: 'branch',
      branches: [{ when: crossing('exists', 'x'), then: op('eq', 1, 1) }],
      else: op('eq', 1, 1),
    } as const;
    const nodes = { ...inner, o: scan('user', 'o'), r: filter('o', branch) };
    expect(refusalOf(query(nodes))).toBe('invalid /nodes/r/predicate/branches/0/when');
  });

  test('one field after the other', () => {
    const fields = { a: 'o.nope', b: crossing('exists', 'x') };
    const nodes = { ...inner, o: scan('user', 'o'), r: project('o', fields) };
    expect(refusalOf(query(nodes))).toBe('unknown_column /nodes/r/fields/0/expr');
  });
});

test('the columns of a program are counted to the last', () => {
  const extent = new Extent();
  expect(extent.add(columnsMax - 1)).toBe(true);
  expect(extent.add(1)).toBe(true);
  expect(extent.add(0)).toBe(true);
  expect(extent.add(1)).toBe(false);
});

describe('columns of a program', () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, 'r.n']));
  // One literal column, then projections of 1,000 columns, then one of the rest.
  const exposing = (rest: number) => {
    const nodes: Record<string, Node> = {};
    const inputs: string[] = [];
    for (let i = 0; i < 124; i++) {
      nodes[`r${i}`] = numbers(i === 0 ? 'r' : `r${i}`, 1);
      const scope = i === 0 ? 'r' : `r${i}`;
      const all = Object.fromEntries(
        Object.keys(fields(1_000)).map((name) => [name, `${scope}.n`]),
      );
      nodes[`p${i}`] = project(`r${i}`, all, `p${i}`);
      nodes[`e${i}`] = { kind: 'distinct', input: `p${i}` };
      inputs.push(`e${i}`);
    }
    nodes['last'] = numbers('last', 1);
    nodes['cut'] = { kind: 'slice', input: 'last', limit: 1 };
    nodes['q'] = project(
      'cut',
      Object.fromEntries(Object.keys(fields(rest)).map((n) => [n, 'last.n'])),
    );
    return { nodes, inputs };
  };

  test('at most 250,000, counted at each node', () => {
    // The slice, its input, the projection of the concatenation: one each. What `q` has counts again in the join, with the one of `d`.
    const planned = (rest: number) => {
      const { nodes, inputs } = exposing(rest);
      const c: Node = { kind: 'concatenate', inputs, scope: 'c' };
      const d = project('c', { one: 'c.c0' }, 'd');
      return query({ ...nodes, c, d, j: join('d', 'q', op('eq', 1, 1)) });
    };
    expect(124 * 2_001 + 1_000 + 3 + (436 + 437)).toBe(250_000);
    expect(() => planOf(planned(436))).not.toThrow();
    expect(refusalOf(planned(437))).toBe('invalid /nodes/j');
    expect(failureOf(() => planOf(planned(437))).detail).toContain('at most 250000 columns');
  });
});

describe('the width of a relation is bounded', () => {
  const fields = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, value]));
  const one = { r: numbers('r', 1) };
  const wide = (count: number): Record<string, Node> => ({
    ...one,
    p: project('r', fields(count, 'r.n'), 'p'),
  });
  const aggs = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ fn: 'count', as: `n${i}` }) as const);
  const literal = (count: number): Node => ({
    kind: 'rows',
    scope: 'l',
    columns: Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: 'int64' as const })),
    rows: [],
  });
  const relations: Readonly<Record<string, (count: number) => Record<string, Node>>> = {
    'fields of a projection': wide,
    'folds of an aggregate': (count) => ({
      ...one,
      a: { kind: 'aggregate', input: 'r', scope: 'a', aggs: aggs(count) },
    }),
    'columns of rows': (count) => ({ l: literal(count) }),
    'both sides of a join': (count) => ({
      ...wide(count - 1),
      o: numbers('o', 1),
      j: join('p', 'o', op('eq', 1, 1)),
    }),
  };

  test.each(Object.entries(relations))('%s: at most 10,000', (_, nodesOf) => {
    const of = (count: number) => query(nodesOf(count), 'exactly_one');
    expect(() => planOf(of(relationColumnsMax))).not.toThrow();
    expect(refusalOf(of(relationColumnsMax + 1))).toMatch(/^invalid \/nodes\/[palj]$/);
    expect(failureOf(() => planOf(of(relationColumnsMax + 1))).detail).toContain(
      'a relation has at most 10000 columns, this one has 10001',
    );
  });

  test('terms of an order: at most 1,000', () => {
    const of = (count: number) =>
      query({
        ...one,
        o: {
          kind: 'order',
          input: 'r',
          terms: Array.from({ length: count }, () => ({
            expr: { kind: 'col', scope: 'r', column: 'n' } as const,
          })),
        },
      });
    expect(() => planOf(of(orderTermsMax))).not.toThrow();
    expect(refusalOf(of(orderTermsMax + 1))).toBe('invalid /nodes/o');
  });
});

describe('showing a plan gives way', () => {
  const many: Record<string, Node> = {};
  for (let i = 0; i < 1_000; i++) many[`s${i}`] = scan('user', `s${i}`);
  many['c'] = { kind: 'concatenate', inputs: Object.keys(many), scope: 'c' };
  const plan = planQuery(query(many), catalog, full);

  test('at each node, once for its view and once for its line', () => {
    const pace = new CountingPace(Infinity);
    explainProgramSteps(plan, pace).next();
    const lines = explainProgram(plan).statements[0]?.text.split('\n').length ?? 0;
    expect(lines).toBeGreaterThan(1_000);
    expect(pace.asked).toBe(1 + 2 * lines);
    expect(pace.most).toBeLessThanOrEqual(64);
  });

  test('after a node with large expressions, by the length of their text', () => {
    const pace = new CountingPace(Infinity);
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 's.age']));
    const wide = query({ s: scan('user', 's'), p: project('s', fields) }, 'exactly_one');
    explainProgramSteps(planQuery(wide, catalog, full), pace).next();
    expect(pace.most).toBeGreaterThan(200);
  });

  test('with the same text and view in pieces as in one go', async () => {
    const pace = new CountingPace(64);
    expect(await runSteps(explainProgramSteps(plan, pace), pace)).toEqual(explainProgram(plan));
    expect(pace.waits).toBeGreaterThan(300);
  });
});
