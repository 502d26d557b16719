/** The search for a better plan is bounded: what it costs grows with the document, not with the ways to run it. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield } from '#base';
import type { Node } from '#lir';
import { planQuerySteps } from '../support/plan-query.ts';
import {
  catalog,
  crossing,
  filter,
  full,
  join,
  numbers,
  op,
  order,
  project,
  query,
  scan,
  textOf,
} from './support.ts';

/** How often planning asks for time: once for each relation that it binds or lowers. */
function asksOf(of: ReturnType<typeof query>): number {
  let asked = 0;
  const pause = () => {
    asked++;
    return undefined;
  };
  planQuerySteps(of, {
    catalog,
    options: full,
    principal: anyone,
    pace: { ...neverYield, pause },
  }).next();
  return asked;
}

/** The first rows, in order, of a chain of joins that each could be made by looking rows up in that order. */
function chain(length: number) {
  const nodes: Record<string, Node> = { s0: scan('user', 's0') };
  let at = 's0';
  for (let i = 1; i < length; i++) {
    nodes[`s${i}`] = scan('user', `s${i}`);
    nodes[`j${i}`] = join(at, `s${i}`, op('eq', `s${i - 1}.age`, `s${i}.id`));
    at = `j${i}`;
  }
  nodes['o'] = order(at, 's0.id');
  nodes['l'] = { kind: 'slice', input: 'o', limit: 5 };
  nodes['p'] = project('l', { x: 's0.name' });
  return query(nodes, 'many');
}

describe('alternatives of joins', () => {
  test('are tried for joins of usual length', () => {
    expect(textOf(chain(4))).toContain('lookup join');
    expect(asksOf(chain(8))).toBeGreaterThan(3 * 16);
  });

  test('are tried beside however many relations that have no alternatives', () => {
    const some = Object.fromEntries(
      Array.from({ length: 5_100 }, (_, i) => [`n${i}`, numbers(`n${i}`, i)]),
    );
    const nodes: Record<string, Node> = {
      ...some,
      all: { kind: 'concatenate', inputs: Object.keys(some), scope: 'c' },
      few: { kind: 'slice', input: 'all', limit: 5 },
      u: scan('user', 'u'),
      j: join('few', 'u', op('eq', 'c.n', 'u.id')),
      o: order('j', 'u.id'),
    };
    expect(textOf(query(nodes, 'many'))).toContain('lookup join');
  });

  test('a longer chain of joins costs as much more as it is longer', () => {
    const [some, twice] = [asksOf(chain(80)), asksOf(chain(160))];
    expect(twice).toBeLessThan(some + 2_000);
  });

  test('the order of a chain is searched once, and not again for the chains within it', () => {
    const asks = [3, 4, 5, 6, 7, 8].map((length) => asksOf(chain(length)));
    // A search of its own for each inner chain would ask more than twice as often.
    expect(asks.at(-1)).toBeLessThan(600);
  });

  test('alternatives inside alternatives do not multiply', () => {
    const nested = (depth: number) => {
      const nodes: Record<string, Node> = {};
      for (let i = 0; i < depth; i++) {
        nodes[`l${i}`] = scan('user', `l${i}`);
        nodes[`s${i}`] = scan('user', `s${i}`);
        const inner = i + 1 < depth ? crossing('first', `o${i + 1}`) : op('eq', 1, 1);
        nodes[`p${i}`] = project(`s${i}`, { id: `s${i}.id`, inner }, `p${i}`);
        nodes[`j${i}`] = join(`l${i}`, `p${i}`, op('eq', `l${i}.age`, `p${i}.id`));
        nodes[`q${i}`] = project(`j${i}`, { a: `l${i}.id`, inner: `p${i}.inner` }, `q${i}`);
        nodes[`o${i}`] = order(`q${i}`, `q${i}.a`);
      }
      return query({ ...nodes, r: project('o0', { x: 'q0.inner' }) }, 'many');
    };
    expect(asksOf(nested(6))).toBeLessThan(5_000);
    expect(asksOf(nested(60))).toBeLessThan(10_000);
  });
});

describe('predicates that move', () => {
  /** A filter of `count` comparisons above `depth` projections. */
  const deep = (count: number, depth: number) => {
    const nodes: Record<string, Node> = { s: scan('user', 'x0') };
    let at = 's';
    for (let i = 1; i <= depth; i++) {
      nodes[`p${i}`] = project(at, { id: `x${i - 1}.id`, age: `x${i - 1}.age` }, `x${i}`);
      at = `p${i}`;
    }
    let predicate = op('eq', `x${depth}.id`, 7);
    for (let i = 1; i < count; i++) predicate = op('and', predicate, op('ne', `x${depth}.age`, i));
    return query({ ...nodes, f: filter(at, predicate) });
  };
  test('go down to the table', () => {
    expect(textOf(deep(100, 20))).toContain('primary key: id = 7');
  });

  test('stay where they are when moving them takes longer than testing them', () => {
    expect(textOf(deep(900, 100))).toContain('whole table');
  });
});
