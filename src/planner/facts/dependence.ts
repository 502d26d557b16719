/** Finds out whether a subtree, including its crossings, depends on its surroundings. */

import { inputsOf } from '#lir';
import type { BoundRelation } from '../bind/bound.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { type IdRange, idRangeOf } from './id-range.ts';
import { crossingsIn, expressionsOf } from './tree.ts';

interface Dependence {
  /** The relation reads columns that are made outside of it. */
  readonly isCorrelated: boolean;
  readonly readsFrontier: boolean;
}

interface Reach {
  readonly made: IdRange;
  readonly read: IdRange;
  readonly readsFrontier: boolean;
}

const nothing: IdRange = { low: Infinity, high: -Infinity };

/** The dependences of the relations of a tree. Each relation is analyzed once and cached. */
export class Dependences {
  private readonly known = new WeakMap<BoundRelation, Reach>();

  of(relation: BoundRelation): Dependence {
    const { made, read, readsFrontier } = this.reachOf(relation);
    return { isCorrelated: read.low < made.low || read.high > made.high, readsFrontier };
  }

  private reachOf(relation: BoundRelation): Reach {
    const known = this.known.get(relation);
    if (known !== undefined) return known;
    let reach = ownReach(relation);
    for (const input of inputsOf(relation)) reach = joined(reach, this.reachOf(input));
    for (const expression of expressionsOf(relation)) {
      for (const crossing of crossingsIn(expression)) {
        reach = joined(reach, this.reachOf(crossing.relation));
      }
    }
    this.known.set(relation, reach);
    return reach;
  }
}

function ownReach(relation: BoundRelation): Reach {
  const ids = new Set<number>();
  for (const expression of expressionsOf(relation)) addColumnsReadBy(expression, ids);
  let read = nothing;
  for (const id of ids) read = widened(read, { low: id, high: id });
  return { made: idRangeOf(relation), read, readsFrontier: relation.kind === 'frontier' };
}

function joined(left: Reach, right: Reach): Reach {
  return {
    made: widened(left.made, right.made),
    read: widened(left.read, right.read),
    readsFrontier: left.readsFrontier || right.readsFrontier,
  };
}

function widened(left: IdRange, right: IdRange): IdRange {
  return { low: Math.min(left.low, right.low), high: Math.max(left.high, right.high) };
}
