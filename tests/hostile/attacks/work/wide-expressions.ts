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
  type Node,
  order,
  project,
  relation,
  scan,
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

function terms(): string {
  const sorted = order('s', ...many(5000, () => col('s', 'same')));
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

export const wideExpressions: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'wide-expressions',
  does: '15,000 branches, 5,000 order terms, 2,000 group keys, 1,000 folds; the plan of 9,000 scans',
  flags: ['--statement-timeout-ms', '10000'],
  strike: async (stage) => {
    const answers = [];
    for (const body of [branches(), terms(), keys(), folds()])
      answers.push(await stage.execute(body));
    const plan = { path: '/execute?show-plan=true&dry-run=true' };
    answers.push(await stage.execute(scans(), plan));
    return outcomeOf(answers);
  },
};
