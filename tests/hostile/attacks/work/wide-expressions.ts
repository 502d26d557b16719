/** Expressions, keys and terms by the thousand, over every row. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import {
  aggregate,
  ask,
  binary,
  col,
  count,
  type Expr,
  int,
  join,
  type Node,
  order,
  project,
  relation,
  scan,
  yes,
} from '../../programs/lir.ts';

const many = <T>(length: number, of: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => of(i));
const scanned = { s: scan('item', 's') };

function branches(): string {
  const id = col('s', 'id');
  const cases = many(15_000, (i) => ({ when: binary('eq', id, int(i)), then: int(i) }));
  const value: Expr = { kind: 'branch', branches: cases, else: int(0) };
  const nodes = { ...scanned, p: project('s', { x: value }, 'p') };
  const sum = aggregate('p', 'z', [], { m: ['sum', col('p', 'x')] });
  return ask(relation({ ...nodes, z: sum }, 'z', 'exactly_one'));
}

function terms(count: number): string {
  const sorted = order('s', ...many(count, () => col('s', 'same')));
  const some = { kind: 'slice', input: 'o', offset: 400_000, limit: 3 };
  return ask(relation({ ...scanned, o: sorted, l: some }, 'l'));
}

function keys(): string {
  const groups = many(2000, (i) => binary('add', col('s', 'same'), int(i)));
  const grouped = aggregate('s', 'a', groups, { n: ['count'] });
  return ask(relation({ ...scanned, a: grouped, c: count('a') }, 'c', 'scalar'));
}

function folds(): string {
  const aggs = many(1000, (i) => [`a${i}`, ['max', col('s', 'note')] as const] as const);
  const grouped = aggregate('s', 'a', [col('s', 'name')], Object.fromEntries(aggs));
  return ask(relation({ ...scanned, a: grouped, c: count('a') }, 'c', 'scalar'));
}

function scans(): string {
  const inputs = many(9000, (i) => `s${i}`);
  const nodes: Record<string, Node> = Object.fromEntries(
    inputs.map((id) => [id, scan('item', id)]),
  );
  const all = { ...nodes, u: { kind: 'concatenate', inputs, scope: 'u' }, c: count('u') };
  return ask(relation(all, 'c', 'scalar'));
}

/** A projection of `width` columns, joined with itself by way of a binding until it has `times` as many, in order. */
function wide(width: number, times: number): string {
  const fields = Object.fromEntries(many(width, (j) => [`c${j}`, int(j)]));
  const nodes: Record<string, Node> = {};
  for (let i = 0; i < times; i++) {
    nodes[`s${i}`] = { kind: 'ref', binding: 'w', scope: `s${i}` };
    if (i > 0) nodes[`j${i}`] = join(i === 1 ? 's0' : `j${i - 1}`, `s${i}`, yes);
  }
  nodes['c'] = count(`j${times - 1}`);
  const body = { nodes: { d: scan('digit', 'd'), p: project('d', fields, 'p') }, node: 'p' };
  const bindings = { w: { kind: 'derived', node: 'p' } };
  return ask(relation({ ...body.nodes, ...nodes }, 'c', 'scalar', bindings));
}

/** Sixty columns for each row, kept in the order of one. */
function wideOrder(width: number): string {
  const fields = Object.fromEntries(
    many(width, (j) => [`c${j}`, j === 0 ? col('d', 'id') : int(j)]),
  );
  const nodes = {
    d: scan('digit', 'd'),
    p: project('d', fields, 'p'),
    o: order('p', col('p', 'c0')),
    l: { kind: 'slice', input: 'o', offset: 900, limit: 3 },
  };
  return ask(relation(nodes, 'l'));
}

export const wideRelations: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'wide-relations',
  does: 'projections of 40,000 and 10,000 columns, joins of them, rows that wide in order, and the plans of all',
  flags: ['--statement-timeout-ms', '10000'],
  strike: async (stage) => {
    const bodies = [wide(40_000, 2), wide(5000, 2), wide(2000, 5), wide(2000, 60)];
    bodies.push(wideOrder(40_000), wideOrder(10_000), wideOrder(1000));
    const plan = { path: '/execute?show-plan=true&dry-run=true' };
    const answers = [];
    for (const body of bodies) {
      answers.push(await stage.execute(body));
      answers.push(await stage.execute(body, plan));
    }
    return outcomeOf(answers);
  },
};

export const wideExpressions: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'wide-expressions',
  does: '15,000 branches, 5,000 and 1,000 order terms, 2,000 group keys, 1,000 folds; the plan of 9,000 scans',
  flags: ['--statement-timeout-ms', '10000'],
  strike: async (stage) => {
    const answers = [];
    for (const body of [branches(), terms(5000), terms(1000), keys(), folds()])
      answers.push(await stage.execute(body));
    const plan = { path: '/execute?show-plan=true&dry-run=true' };
    answers.push(await stage.execute(scans(), plan));
    return outcomeOf(answers);
  },
};
