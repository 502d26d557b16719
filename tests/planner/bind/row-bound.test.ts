/** How many rows a join may have: a left join keeps its left rows, also where the right side has none. */

import { expect, test } from 'bun:test';
import type { Node } from '#lir';
import { join, numbers, planOf, project, query } from '../support.ts';

/** One row joined with no row, and the outcome with two rows: as the root of a scalar query, which takes one row at most. */
function chain(kind: 'inner' | 'left'): Record<string, Node> {
  return {
    one: numbers('a', 1),
    none: numbers('b'),
    two: numbers('c', 1, 2),
    first: join('one', 'none', true, kind),
    both: join('first', 'two', true),
    root: project('both', { n: 'a.n' }),
  };
}

test('an inner join without partners has no row, whatever comes after it', () => {
  expect(() => planOf(query(chain('inner'), 'scalar'))).not.toThrow();
});

test('a left join without partners has a row, and two after the next join', () => {
  expect(() => planOf(query(chain('left'), 'scalar'))).toThrow('at most one row');
});
