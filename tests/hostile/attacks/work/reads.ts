/** Reads that touch every row. */

import type { LiveAttack } from '../../attack.ts';
import { ask, col, order, project, relation, scan } from '../../programs/lir.ts';
import { together } from '../strikes.ts';

const live = { kind: 'live', part: 'work' } as const;

/** All rows by id; `columns` make about 20, 76 or 300 MB. */
export function wholeTable(...columns: readonly string[]): string {
  const fields = Object.fromEntries(columns.map((name) => [name, col('s', name)]));
  const nodes = {
    s: scan('item', 's'),
    o: order('s', col('s', 'id')),
    p: project('o', fields),
  };
  return ask(relation(nodes, 'p'));
}

export const mediumResult: LiveAttack = {
  ...live,
  name: 'result-50-mb',
  does: 'a result of some 50 MB, read at once',
  strike: together(1, () => wholeTable('id', 'name')),
};

export const largeResult: LiveAttack = {
  ...live,
  name: 'result-90-mb',
  does: 'a result of some 90 MB',
  strike: together(1, () => wholeTable('id', 'grp', 'same', 'price', 'name')),
};

export const sortByText: LiveAttack = {
  ...live,
  name: 'sort-by-text',
  does: 'all rows sorted by text, of which ten from the middle are kept',
  strike: together(1, () => {
    const nodes = {
      s: scan('item', 's'),
      o: order('s', col('s', 'name')),
      l: { kind: 'slice', input: 'o', offset: 400_000, limit: 10 },
      p: project('l', { id: col('s', 'id'), name: col('s', 'name') }),
    };
    return ask(relation(nodes, 'p'));
  }),
};

export const sortWide: LiveAttack = {
  ...live,
  name: 'sort-wide',
  does: 'all rows with all columns sorted by text, then by another',
  strike: together(1, () => {
    const nodes = { s: scan('item', 's'), o: order('s', col('s', 'price'), col('s', 'name')) };
    return ask(relation(nodes, 'o', 'first'));
  }),
};
