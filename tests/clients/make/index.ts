/** All cases of the corpus, by file; those of pages follow from answers (pages.ts). */

import {
  bindings,
  calculating,
  comparing,
  lists,
  matching,
  moreLists,
  names,
} from './expressions.ts';
import { orders } from './orders.ts';
import { groups, joins, nested, recursions, sets, steps } from './queries.ts';
import type { Made } from './trees.ts';
import { cells, depthsAndMixes, literals, storedValues } from './values.ts';
import { programs, upserts, writes } from './writes.ts';

export const made: Readonly<Record<string, readonly Made[]>> = {
  steps,
  orders,
  joins,
  groups,
  sets,
  nested,
  recursions: [...recursions, ...bindings],
  comparing,
  calculating,
  matching,
  lists: [...lists, ...moreLists],
  names,
  writes,
  upserts,
  programs,
  values: [...literals, ...cells, ...depthsAndMixes],
  stored: storedValues,
};
