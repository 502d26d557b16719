/** Bodies as large as they may be, made of the smallest things. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import {
  ask,
  binary,
  col,
  count,
  type Expr,
  filter,
  int,
  join,
  type Node,
  order,
  relation,
  scan,
} from '../../programs/lir.ts';
import { together } from '../strikes.ts';

const live = { kind: 'live', part: 'work' } as const;

function ors(terms: number): Expr {
  if (terms === 1) return binary('eq', col('s', 'id'), int(Math.floor(Math.random() * 1e9)));
  const half = Math.floor(terms / 2);
  return binary('or', ors(half), ors(terms - half));
}

export const manyOrs: LiveAttack = {
  ...live,
  name: 'many-ors',
  does: 'a predicate of 20,000 `or` in a body of 4 MB',
  strike: together(1, () => {
    const nodes = { s: scan('item', 's'), f: filter('s', ors(20_000)), c: count('f') };
    return ask(relation(nodes, 'c', 'scalar'));
  }),
};

export const plannedOrs: LiveAttack = {
  ...live,
  name: 'many-ors-planned',
  does: 'the plan of a predicate of 20,000 `or`',
  strike: async (stage) => {
    const nodes = { s: scan('item', 's'), f: filter('s', ors(20_000)), c: count('f') };
    const plan = { path: '/execute?show-plan=true&dry-run=true' };
    return outcomeOf([await stage.execute(ask(relation(nodes, 'c', 'scalar')), plan)]);
  },
};

/** One-digit cells in rows of `width`. */
export function cells(total: number, width: number): string {
  const columns = Array.from({ length: width }, (_, i) => ({ name: `c${i}`, type: 'int64' }));
  const row = Array.from({ length: width }, () => '1');
  const rows = Array.from({ length: Math.floor(total / width) }, () => row);
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows }, c: count('r') };
  return ask(relation(nodes, 'c', 'scalar'));
}

/** The same, all of them returned in order. */
function cellsBack(total: number, width: number): string {
  const columns = Array.from({ length: width }, (_, i) => ({ name: `c${i}`, type: 'text' }));
  const rows = Array.from({ length: Math.floor(total / width) }, (_, i) =>
    Array.from({ length: width }, (_, j) => `${(i * width + j) % 9973}`),
  );
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows }, o: order('r', col('r', 'c0')) };
  return ask(relation(nodes, 'o'));
}

export const manyCells: LiveAttack = {
  ...live,
  name: 'many-cells',
  does: '300,000 cells, as `rows` of one column and of a hundred',
  strike: async (stage) =>
    outcomeOf([
      await stage.execute(cells(300_000, 1)),
      await stage.execute(cells(300_000, 100)),
      await stage.execute(cells(800_000, 200)),
      await stage.execute(cellsBack(300_000, 1)),
      await stage.execute(cellsBack(300_000, 300)),
    ]),
};

function joinOf(tables: number, isKeyed: boolean): string {
  const nodes: Record<string, Node> = { s0: scan('digit', 's0') };
  for (let i = 1; i < tables; i++) {
    nodes[`s${i}`] = scan('digit', `s${i}`);
    const on = isKeyed ? binary('eq', col('s0', 'id'), col(`s${i}`, 'id')) : col0(i);
    nodes[`j${i}`] = join(i === 1 ? 's0' : `j${i - 1}`, `s${i}`, on);
  }
  nodes['c'] = count(`j${tables - 1}`);
  return ask(relation(nodes, 'c', 'scalar'));
}

/** Chained: each table to the one before. */
const col0 = (i: number) => binary('eq', col(`s${i - 1}`, 'id'), col(`s${i}`, 'id'));

export const manyTables: LiveAttack = {
  ...live,
  name: 'join-of-many',
  does: 'joins of 400 and 1,000 tables, as a star and as a chain, planned and run',
  strike: async (stage) => {
    const bodies = [joinOf(400, true), joinOf(400, false), joinOf(1000, true), joinOf(1000, false)];
    const dry = { path: '/execute?dry-run=true&show-plan=true' };
    const answers = [];
    for (const body of bodies) answers.push(await stage.execute(body, dry));
    for (const body of bodies) answers.push(await stage.execute(body));
    return outcomeOf(answers);
  },
};
