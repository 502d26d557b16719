/** All cases of the corpus, by file. */

import { groups, joins, nested, recursions, sets, steps } from './queries.ts';
import type { Made } from './trees.ts';

export const made: Readonly<Record<string, readonly Made[]>> = {
  steps,
  joins,
  groups,
  sets,
  nested,
  recursions,
};
