/**
 * Ranges of keys that a commit gives up for good. The catalog is a key that every drop changes and that whoever touches a plot reads
 * before, as everybody does with the tables of a database.
 */

import { afterKey } from '#base';
import type { KeyRange } from '#storage';
import type { Dice } from './dice.ts';

export interface Plot extends KeyRange {
  /** Numbers of its keys: from here, up to but without `end`. */
  readonly first: number;
  readonly end: number;
}

export interface Plots {
  readonly plots: readonly Plot[];
  readonly catalog: number;
}

/** What the model has where nobody may look any more. */
export const gone = '(gone)';

export function anyPlots(keys: readonly Uint8Array[], count: number, dice: Dice): Plots {
  const last = keys.length - 1;
  const catalog = dice.pick([0, last]);
  const until = catalog === last ? last : keys.length;
  const keysMax = Math.max(1, Math.floor(keys.length / (count + 2)));
  const plots: Plot[] = [];
  let first = 1 + dice.below(2);
  while (plots.length < count && first < until) {
    const end = Math.min(until, first + dice.between(1, keysMax));
    const to = dice.chance(0.5) ? keys[end] : afterKey(keys[end - 1] as Uint8Array);
    plots.push({ first, end, from: keys[first] as Uint8Array, to });
    first = end + dice.below(3);
  }
  return { plots, catalog };
}
