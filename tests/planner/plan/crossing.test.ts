/** Crossings: attached before their expression, read by key or from a spool; golden plans. */

import { expect, test } from 'bun:test';
import type { Node } from '#lir';
import { plansBelow, walkPlans } from '#planner';
import {
  all,
  crossing,
  filter,
  full,
  join,
  numbers,
  op,
  order,
  planOf,
  project,
  query,
  scan,
  textOf,
} from '../support.ts';

const users = scan('user', 'u');
const posts = scan('post', 'p');
const notes = scan('note', 'n');
const count = (input: string): Node => ({
  kind: 'aggregate',
  input,
  aggs: [{ fn: 'count', as: 'n' }],
});
const mine = filter('i', op('eq', 'p.author', 'u.id'));
const owned = filter('i', op('eq', 'n.owner', 'u.id'));
const ids = { s: users, so: order('s', 'u.id') };

test('a correlation that a key answers is a lookup', () => {
  const latest: Node = { kind: 'slice', input: 'o', limit: 3 };
  const nodes = { ...ids, i: posts, f: mine, o: order('f', '-p.seq'), l: latest };
  const r = project('so', { id: 'u.id', posts: crossing('array', 'l') });
  expect(textOf(query({ ...nodes, r }, 'many'))).toBe(
    'attach | crossings array 0, 3 rows of each read ahead, run for many at once\n' +
      '  scan | table user | access whole table | columns id\n' +
      '  slice | limit 3\n' +
      '    scan | table post | access primary key: author = outer 0 | direction backward | columns author, seq, title, tag, rank',
  );
});

test('one without a key is held by its equality', () => {
  const r = project('so', { id: 'u.id', notes: crossing('scalar', 'c') });
  const nodes = { ...ids, i: notes, f: owned, c: count('f'), r };
  expect(textOf(query(nodes, 'many'))).toBe(
    'attach | crossings scalar 0\n' +
      '  scan | table user | access whole table | columns id\n' +
      '  aggregate | folds count()\n    spool | keys owner | probe outer 0\n' +
      '      scan | table note | access whole table | columns owner',
  );
  expect(textOf(query(nodes, 'many'), { ...full, crossings: 'nested' })).toContain(
    'filter | predicate owner = outer 0\n',
  );
});

test('what reads only the relation goes below the spool, other correlations above', () => {
  const where = all(
    op('eq', 'n.owner', 'u.id'),
    op('ne', 'n.body', { kind: 'lit', value: { type: 'text', value: 'x' } }),
    op('lt', 'n.id', 'u.age'),
  );
  const nodes = { ...ids, i: notes, f: filter('i', where) };
  const r = project('so', { id: 'u.id', any: crossing('exists', 'f') });
  expect(textOf(query({ ...nodes, r }, 'many'))).toContain(
    'filter | predicate id < outer 0\n      spool | keys owner | probe outer 1\n' +
      '        filter | predicate body <> "x"\n          scan | table note',
  );
});

test('a crossing in a predicate: cheap conjuncts first, when nothing can raise', () => {
  const nodes = { s: users, i: notes, f: owned };
  const g = filter('s', all(crossing('exists', 'f'), op('eq', 'u.id', 3)));
  expect(textOf(query({ ...nodes, g, p: project('g', { n: 'u.name' }) }))).toBe(
    'project | fields name\n  filter | predicate exists 0\n    attach | crossings exists 0\n' +
      '      scan | table user | access primary key: id = 3 | columns id, name\n' +
      '      spool | keys owner | probe outer 0\n' +
      '        scan | table note | access whole table | columns owner',
  );
});

test('a crossing that can raise is evaluated before every conjunct', () => {
  const raising = filter('i', op('eq', op('div', 1, 'n.owner'), 'u.id'));
  const nodes = { s: users, i: notes, f: raising };
  const g = filter('s', all(op('eq', 'u.id', 3), crossing('exists', 'f')));
  expect(textOf(query({ ...nodes, g, p: project('g', { n: 'u.name' }) }))).toStartWith(
    'project | fields name\n  filter | predicate (id = 3) and exists 0\n    attach | crossings exists 0\n' +
      '      scan | table user | access whole table',
  );
});

test('a join inside a crossing is probed, not built again for each row', () => {
  const j = join('p', 'n', op('eq', 'p.seq', 'n.owner'));
  const f = filter('j', op('eq', 'p.author', 'u.id'));
  const nodes = { ...ids, p: posts, n: notes, j, f, c: count('f') };
  const r = project('so', { id: 'u.id', c: crossing('scalar', 'c') });
  expect(textOf(query({ ...nodes, r }, 'many'))).toContain(
    'lookup join | join inner | registers outer 0 = seq\n' +
      '      scan | table post | access primary key: author = outer 1 | columns seq\n' +
      '      spool | keys owner | probe outer 0\n' +
      '        scan | table note | access whole table | columns owner',
  );
});

test('a lookup join by key reads for several left rows at once, one row of each where the key has no more', () => {
  const j = join('n', 'u', op('eq', 'n.owner', 'u.id'));
  const nodes = {
    n: notes,
    s: users,
    f: filter('n', op('lt', 'n.id', 3)),
    j: { ...j, left: 'f', right: 's' },
  };
  const r = project('j', { id: 'n.id', name: 'u.name' });
  const joins: unknown[] = [];
  const [statement] = planOf(query({ ...nodes, r })).statements;
  if (statement?.kind !== 'query') throw new Error('a query is planned');
  walkPlans([statement.query.root], (plan) => {
    if (plan.kind === 'lookup_join') joins.push({ scan: plan.right.id, ahead: plan.ahead });
  });
  const [found] = joins as { scan: number; ahead: unknown }[];
  expect(found?.ahead).toEqual({ scan: found?.scan, rows: 1, together: true });
});

test('registers are set by the row that has them, at any depth', () => {
  const deep = filter('d', all(op('eq', 'n.owner', 'u.id'), op('eq', 'n.id', 'p.seq')));
  const middle = filter('m', all(op('eq', 'p.author', 'u.id'), crossing('exists', 'x')));
  const nodes = { ...ids, d: notes, x: deep, m: posts, y: middle };
  const r = project('so', { id: 'u.id', any: crossing('exists', 'y') });
  const [statement] = planOf(query({ ...nodes, r }, 'many')).statements;
  if (statement?.kind !== 'query') throw new Error('a query is planned');
  const outer = statement.query.root;
  if (outer.kind !== 'attach') throw new Error('the root attaches');
  const [crossed] = outer.crossings;
  expect(crossed?.registers.map(({ columnIndex }) => columnIndex)).toEqual([0]);
  const inner = plansBelow(crossed?.plan as (typeof outer)['input'])[0];
  if (inner?.kind !== 'attach') throw new Error('the filter attaches');
  expect(inner.crossings[0]?.registers).toHaveLength(1);
  expect(statement.query.registerCount).toBeGreaterThanOrEqual(2);
});

test('an uncorrelated crossing sets nothing, and inside another one it is held', () => {
  const once = project('so', { n: crossing('exists', 'i') });
  const [statement] = planOf(query({ ...ids, i: notes, r: once }, 'many')).statements;
  expect(statement).toMatchObject({
    query: { root: { input: { crossings: [{ registers: [] }] } } },
  });
  const g = filter('x', all(op('eq', 'x.n', 'u.id'), crossing('exists', 'i')));
  const r = project('so', { n: crossing('exists', 'g') });
  expect(textOf(query({ ...ids, i: notes, x: numbers('x', 1), g, r }, 'many'))).toContain(
    'spool\n',
  );
});

/** Posts tagged with the user's name, in the order of an index. */
const tagged = { i: posts, f: filter('i', op('eq', 'p.tag', 'u.name')) };
const ranked = { ...tagged, o: order('f', 'p.rank', 'p.author', 'p.seq') };

function firstLine(nodes: Record<string, Node>, of: ReturnType<typeof crossing>): string {
  const key = 'aged' in nodes ? { author: 'p.author', seq: 'p.seq' } : { id: 'u.id' };
  const p = project('so', { ...key, x: of });
  return textOf(query({ ...ids, ...nodes, p }, 'many'))
    .split('\n')
    .slice(0, 2)
    .join();
}

test('rows by an index are read for several enclosing rows at once, as many as each needs', () => {
  const few: Node = { kind: 'slice', input: 'o', limit: 3, offset: 2 };
  expect(firstLine(ranked, crossing('array', 'o'))).toContain('array 0, 16 rows of each');
  expect(firstLine({ ...ranked, few }, crossing('array', 'few'))).toContain('5 rows of each');
  expect(firstLine(ranked, crossing('first', 'o'))).toContain('first 0, 1 rows of each');
  const most = { ...ranked, w: filter('o', op('gt', op('div', 1, 'u.id'), 0)) };
  expect(firstLine(most, crossing('array', 'w'))).toContain('array 0, 16 rows of each');
});

test('a plan that reads its row only by key, and cannot fail, runs for many rows at once', () => {
  const together = 'run for many at once';
  expect(firstLine(ranked, crossing('array', 'o'))).toContain(together);
  expect(firstLine(tagged, crossing('exists', 'f'))).toContain(together);
  const compared = { ...ranked, w: filter('o', op('gt', 'p.seq', 'u.id')) };
  expect(firstLine(compared, crossing('array', 'w'))).not.toContain(together);
  const divided = { ...ranked, w: filter('o', op('gt', op('div', 1, 'p.seq'), 0)) };
  expect(firstLine(divided, crossing('array', 'w'))).not.toContain(together);
});

test('what computes its key is read for each row alone', () => {
  const aged = filter('i', op('eq', 'u.age', op('div', 1, 'p.rank')));
  const nodes = { s: posts, so: order('s', 'p.author', 'p.seq'), i: users, aged };
  const o = order('aged', 'u.id');
  expect(firstLine({ ...nodes, o }, crossing('array', 'o'))).not.toContain('ahead');
  const p = project('so', { id: 'u.id', x: crossing('array', 'o') });
  const without = { ...full, without: ['rows_ahead' as const] };
  expect(textOf(query({ ...ids, ...ranked, p }, 'many'), without)).not.toContain('ahead');
});
