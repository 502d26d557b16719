/** Bombs 7 to 10: answers in answers, and recursion that does not end. */

import {
  ask,
  binary,
  col,
  count,
  crossing,
  filter,
  int,
  join,
  order,
  project,
  relation,
  scan,
  slice,
} from '../../programs/lir.ts';
import { nestedArrays } from '../work/nested-arrays.ts';
import { bombs } from './bomb.ts';

export const threeDeep = bombs({
  name: 'bomb-arrays',
  does: '7: arrays three deep',
  body: () => nestedArrays(400, 3),
});

export const tablePerRow = bombs({
  name: 'bomb-table-per-row',
  does: '8: the whole table in each row',
  body: () => {
    const nodes = {
      d: scan('digit', 'd'),
      o: order('d', col('d', 'id')),
      p: project('o', { id: col('d', 'id'), all: crossing('array', 'po') }),
      s: scan('item', 's'),
      f: filter('s', binary('gte', col('s', 'id'), col('d', 'id'))),
      po: order('f', col('s', 'id')),
    };
    return ask(relation(nodes, 'p'));
  },
});

/** Each digit leads to all digits; with `all` nothing is ever known already. */
function cycle(fields: 'narrow' | 'wide'): string {
  const extra = fields === 'wide' ? { note: col('x', 'note'), name: col('x', 'name') } : {};
  const stepExtra = fields === 'wide' ? { note: col('r', 'note'), name: col('r', 'name') } : {};
  const nodes = {
    x: scan('item', 'x'),
    xs: slice('x', 10),
    anchor: project('xs', { id: col('x', 'id'), ...extra }),
    r: { kind: 'recursive_ref', binding: 'walk', scope: 'r' },
    d: scan('digit', 'd'),
    df: filter('d', binary('lt', col('d', 'id'), int(2))),
    j: join('r', 'df', binary('gte', col('r', 'id'), int(0))),
    step: project('j', { id: col('r', 'id'), ...stepExtra }),
    w: { kind: 'ref', binding: 'walk', scope: 'w' },
    c: count('w'),
  };
  const walk = { kind: 'recursive', anchor: 'anchor', step: 'step', accumulation: 'all' };
  return ask(relation(nodes, 'c', 'scalar', { walk }));
}

export const recursion = bombs({
  name: 'bomb-recursion',
  does: '9: recursion with `all` on a cycle',
  body: () => cycle('narrow'),
});

export const wideRecursion = bombs({
  name: 'bomb-recursion-wide',
  does: '10: the same with wide rows',
  body: () => cycle('wide'),
});
