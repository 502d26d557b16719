/** Bombs 1 to 6: products, groups, distinct rows and joins that hold more than there is. */

import {
  aggregate,
  ask,
  binary,
  col,
  count,
  distinct,
  filter,
  int,
  join,
  numbers,
  order,
  program,
  project,
  query,
  relation,
  scan,
  yes,
} from '../../programs/lir.ts';
import { bombs } from './bomb.ts';

const product = { a: scan('item', 'a'), b: scan('item', 'b'), j: join('a', 'b', yes) };
const wide = { a: col('a', 'id'), b: col('b', 'id'), note: col('a', 'note') };

/** A result that is kept for a later statement, and never returned. */
function kept(): string {
  const whole = relation({ ...product, p: project('j', wide) }, 'p', 'exactly_one');
  const later = relation(
    { r: { kind: 'ref', binding: 'k', scope: 'r' }, c: count('r') },
    'c',
    'scalar',
  );
  return program([query(whole, 'k'), query(later)]);
}

export const crossJoinKept = bombs({
  name: 'bomb-cross-join',
  does: '1: a cross join of 10¹² rows as a kept result',
  body: kept,
});

export const crossJoinSorted = bombs({
  name: 'bomb-cross-join-sorted',
  does: '2: the same, sorted',
  body: () => {
    const terms = order('j', col('a', 'name'), col('b', 'name'));
    return ask(relation({ ...product, o: terms, p: project('o', wide) }, 'p'));
  },
});

export const manyGroups = bombs({
  name: 'bomb-groups',
  does: '3: 10⁷ groups',
  body: () => {
    const nodes = {
      a: scan('item', 'a'),
      n: numbers('n', 0, 10),
      j: join('a', 'n', yes),
      g: aggregate('j', 'g', [col('a', 'id'), col('n', 'n')], { m: ['min', col('a', 'name')] }),
      c: count('g'),
    };
    return ask(relation(nodes, 'c', 'scalar'));
  },
});

export const wideDistinct = bombs({
  name: 'bomb-distinct',
  does: '4: distinct of wide rows',
  body: () => {
    const nodes = {
      a: scan('item', 'a'),
      n: numbers('n', 0, 10),
      j: join('a', 'n', yes),
      p: project('j', { note: col('a', 'note'), name: col('a', 'name'), n: col('n', 'n') }),
      d: distinct('p'),
      c: count('d'),
    };
    return ask(relation(nodes, 'c', 'scalar'));
  },
});

export const equalKeys = bombs({
  name: 'bomb-equal-keys',
  does: '5: a hash join of equal keys',
  body: () => {
    const on = binary('eq', col('a', 'same'), col('b', 'same'));
    const nodes = { a: scan('item', 'a'), b: scan('item', 'b'), j: join('a', 'b', on) };
    return ask(relation({ ...nodes, c: count('j') }, 'c', 'scalar'));
  },
});

/** Conjuncts that look selective and let every row pass. */
export const wrongBuildSide = bombs({
  name: 'bomb-build-side',
  does: '6: a join whose build side is estimated small and is not',
  body: () => {
    const never = (n: number) => binary('lt', col('b', 'price'), int(1_000_000 + n));
    const all = Array.from({ length: 12 }, (_, n) => never(n));
    const predicate = all.reduce((left, right) => binary('and', left, right));
    const nodes = {
      a: scan('item', 'a'),
      b: scan('item', 'b'),
      f: filter('b', binary('and', binary('eq', col('b', 'same'), int(7)), predicate)),
      j: join('a', 'f', binary('eq', col('a', 'name'), col('b', 'name'))),
      g: aggregate('j', 'g', [], { m: ['max', col('b', 'note')], l: ['max', col('a', 'note')] }),
    };
    return ask(relation(nodes, 'g', 'exactly_one'));
  },
});
