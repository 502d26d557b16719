/** Reads of all rows through a cache that holds none of them: collections of garbage must not eat the processor. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import {
  aggregate,
  ask,
  binary,
  col,
  count,
  filter,
  int,
  relation,
  scan,
} from '../../programs/lir.ts';

function someRows(i: number): string {
  const nodes = {
    s: scan('item', 's'),
    f: filter('s', binary('ne', col('s', 'grp'), int(i))),
    a: aggregate('f', 'a', [], { n: ['max', col('s', 'note')] }),
    c: count('a'),
  };
  return ask(relation(nodes, 'c', 'scalar'));
}

export const coldReads: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'cold-reads',
  does: '8 reads of the whole table at once with the smallest cache',
  flags: ['--store-decoded-cache-size-mib', '16'],
  strike: async (stage) =>
    outcomeOf(await Promise.all(Array.from({ length: 8 }, (_, i) => stage.execute(someRows(i))))),
};
