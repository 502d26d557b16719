/**
 * Chooses the order of inner joins. A chain of inner joins is treated as a set of relations and a set of conditions, regardless of its order in the
 * document. The cheapest order is found by dynamic programming over subsets of the relations. For many relations, it is chosen greedily. Each relation
 * joins all earlier ones (a left-deep tree), so that it can be looked up by key.
 */

import type { Steps } from '#base';
import type { BoundExpression, BoundJoin, BoundRelation } from '../bind/bound.ts';
import { addColumnsReadBy, columnsReadBy } from '../bind/columns-read.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import { assumed, costs } from '../cost/defaults.ts';
import { pairShare } from '../cost/join-rows.ts';
import { shareOf } from '../cost/selectivity.ts';
import { type ColumnPair, mergedOrdering, mergeOrder } from '../order/merge-order.ts';
import { type Ordering, unordered } from '../order/ordering.ts';
import { alwaysTrue, conjunction, divide, isTrue } from '../rewrite/conjuncts.ts';
import { nodesJoined, partOfNodes } from './join-plan.ts';
import { type LookupCost, lookupCost } from './lookup-join.ts';
import { mayMerge } from './merge-join.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { fetchedCost } from './repeated.ts';
import { type Requirements, requireColumns } from './required-columns.ts';

/** Maximum number of relations for which all orders are considered. */
const allOrdersMax = 10;
/** A chain of more relations than this keeps its order. */
const leavesMax = 64;
/** A better order is used only if its cost is below this share of the cost of the document's order. Estimates are not more precise than that. */
const gain = 0.8;
/** Work of considering one step, measured in rows. */
const workOfStep = 4;

/** A relation of the chain. */
interface Leaf {
  readonly relation: BoundRelation;
  readonly ids: ReadonlySet<number>;
  rows: number;
  cost: number;
  ordering: Ordering;
}

/** A condition, with the leaves that it reads as a bit set. */
interface Condition {
  readonly conjunct: BoundExpression;
  readonly leaves: bigint;
  readonly share: number;
}

/** The estimates for a set of joined leaves, in the best order found so far. */
interface Joined {
  readonly order: readonly number[];
  readonly leaves: bigint;
  readonly rows: number;
  readonly cost: number;
  readonly ordering: Ordering;
}

/** Returns `join` in a better order, or `join` itself if there is none or if it must keep its order. */
export function* arranged(
  planning: Planning,
  join: BoundJoin,
  { needed: wanted, frame }: Requirements,
): Steps<BoundJoin> {
  if (join.join !== 'inner' || !planning.uses('join_order') || !planning.mayTry) return join;
  if (planning.arranged.has(join)) return join;
  const { relations, conjuncts } = flattened(planning, join) ?? {};
  if (relations === undefined || conjuncts === undefined || relations.length < 3) return join;
  if (relations.some((relation) => planning.failures.relationCanRaise(relation))) return join;
  const needed = new Set(wanted);
  for (const conjunct of conjuncts) addColumnsReadBy(conjunct, needed);
  const leaves: Leaf[] = [];
  for (const relation of relations) {
    const steps = lowerRelation(planning, relation, requireColumns(needed, frame));
    const { plan, cost, ordering } = yield* planning.trial(steps);
    const ids = new Set(relation.columns.map(({ id }) => id));
    leaves.push({ relation, ids, rows: Math.max(1, plan.estimatedRows), cost, ordering });
  }
  const chain = new Chain(planning, leaves, conjuncts, needed, mayMerge(planning, frame));
  const asWritten = leaves.slice(1).reduce((so, _, i) => chain.add(so, i + 1), chain.start(0));
  const best = yield* leaves.length <= allOrdersMax ? chain.best() : chain.greedy();
  const isBetter = best.cost < asWritten.cost * gain;
  const made = isBetter ? chain.joinOf(best.order, join) : join;
  markArranged(planning, made);
  return made;
}

function markArranged(planning: Planning, join: BoundJoin): void {
  for (let at: BoundRelation = join; at.kind === 'join'; at = at.left) planning.arranged.add(at);
}

interface Flat {
  readonly relations: readonly BoundRelation[];
  readonly conjuncts: readonly BoundExpression[];
}

/** Returns the relations of a chain of inner joins from left to right, and all of their conditions. Only conditions that cannot raise are in a chain. Returns `undefined` for too many relations. */
function flattened(planning: Planning, join: BoundJoin): Flat | undefined {
  let joins = 0;
  const relations: BoundRelation[] = [];
  const conjuncts: BoundExpression[] = [];
  const open: BoundRelation[] = [join];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.kind === 'join' && at.join === 'inner' && isFree(planning, at)) {
      if (++joins >= leavesMax) return undefined;
      conjuncts.push(...conjunctsOf(at.on).filter((it) => !isTrue(it)));
      open.push(at.right, at.left);
    } else {
      relations.push(at);
    }
  }
  return { relations, conjuncts };
}

function isFree(planning: Planning, { on }: BoundJoin): boolean {
  return divide(on, planning.facts).rest === undefined;
}

class Chain {
  private readonly planning: Planning;
  private readonly leaves: readonly Leaf[];
  private readonly conditions: readonly Condition[];
  private readonly needed: ReadonlySet<number>;
  private readonly merges: boolean;
  private readonly lookups = new Map<string, LookupCost | undefined>();

  constructor(
    planning: Planning,
    leaves: readonly Leaf[],
    conjuncts: readonly BoundExpression[],
    needed: ReadonlySet<number>,
    merges: boolean,
  ) {
    this.planning = planning;
    this.merges = merges;
    this.leaves = leaves;
    this.needed = needed;
    this.conditions = conjuncts.map((conjunct) => this.conditionOf(conjunct));
  }

  start(leaf: number): Joined {
    const { rows, cost, ordering } = this.leaves[leaf] as Leaf;
    return { order: [leaf], leaves: 1n << BigInt(leaf), rows, cost, ordering };
  }

  /** Returns the estimates after joining one more relation. */
  add(before: Joined, next: number): Joined {
    const { rows, cost } = this.leaves[next] as Leaf;
    const bit = 1n << BigInt(next);
    const leaves = before.leaves | bit;
    const met = this.conditions.filter(
      (it) => (it.leaves & bit) !== 0n && (it.leaves & ~leaves) === 0n && it.leaves !== bit,
    );
    const pairs = before.rows * rows;
    const estimated = Math.max(
      1,
      met.reduce((all, { share }) => all * share, pairs),
    );
    const found = this.seenRows([...before.order, next]) ?? estimated;
    const isEqual = met.some(({ conjunct }) => isEquality(conjunct));
    const held = Math.min(before.rows, rows) * costs.hashBuildRow;
    const hashed = cost + held + Math.max(before.rows, rows) * costs.hashProbeRow;
    const each = isEqual ? this.lookupOf(next, met) : undefined;
    const lookedUp = each === undefined ? Infinity : lookedUpCost(before.rows, each);
    const merge = isEqual ? this.mergeOf(before, next, met) : undefined;
    const merged = merge === undefined ? Infinity : cost + (before.rows + rows) * costs.mergeRow;
    const work = isEqual ? Math.min(hashed, lookedUp, merged) : cost + pairs * costs.pair;
    return {
      order: [...before.order, next],
      leaves,
      rows: found,
      cost: before.cost + work + found * costs.row,
      ordering: orderingOf(before, {
        merge,
        isMerged: work === merged,
        isLookup: work === lookedUp,
      }),
    };
  }

  /** Returns the order of the rows that a merge join of both would deliver; `undefined` if they are not sorted by their keys. */
  private mergeOf(before: Joined, next: number, met: readonly Condition[]): Ordering | undefined {
    if (!this.merges) return undefined;
    const { ids, ordering } = this.leaves[next] as Leaf;
    const pairs = met.flatMap(({ conjunct }) => columnPairOf(conjunct, ids) ?? []);
    const order = mergeOrder(before.ordering, ordering, pairs);
    return order && mergedOrdering('inner', before.ordering, ordering, order);
  }

  /** Returns the number of rows of these leaves joined, as measured by an earlier execution; `undefined` if there is no feedback. */
  private seenRows(leaves: readonly number[]): number | undefined {
    const { seen } = this.planning;
    if (seen === undefined) return undefined;
    const nodes = leaves.flatMap(
      (leaf) => nodesJoined([(this.leaves[leaf] as Leaf).relation]) ?? [],
    );
    return seen.get(partOfNodes(nodes));
  }

  /** Finds the cheapest of all orders. */
  *best(): Steps<Joined> {
    const { length } = this.leaves;
    const known = new Map<bigint, Joined>();
    for (let leaf = 0; leaf < length; leaf++) known.set(1n << BigInt(leaf), this.start(leaf));
    // A set is visited before all of its supersets.
    for (let leaves = 1n; leaves < 1n << BigInt(length); leaves++) {
      const before = known.get(leaves) as Joined;
      const wait = this.planning.worked(length * workOfStep);
      if (wait !== undefined) yield wait;
      for (let next = 0; next < length; next++) {
        if ((leaves & (1n << BigInt(next))) !== 0n) continue;
        const joined = this.add(before, next);
        const found = known.get(joined.leaves);
        if (found === undefined || joined.cost < found.cost) known.set(joined.leaves, joined);
      }
    }
    return known.get((1n << BigInt(length)) - 1n) as Joined;
  }

  /** Starts with the relation that has the fewest rows, and adds the relation with the cheapest step each time. */
  *greedy(): Steps<Joined> {
    const rest = new Set(this.leaves.keys());
    const fewest = [...rest].reduce((least, leaf) =>
      (this.leaves[leaf] as Leaf).rows < (this.leaves[least] as Leaf).rows ? leaf : least,
    );
    let joined = this.start(fewest);
    for (rest.delete(fewest); rest.size > 0; rest.delete(joined.order.at(-1) as number)) {
      const wait = this.planning.worked(rest.size * workOfStep);
      if (wait !== undefined) yield wait;
      const steps = [...rest].map((leaf) => this.add(joined, leaf));
      joined = steps.reduce((least, step) => (step.cost < least.cost ? step : least));
    }
    return joined;
  }

  /** Builds the join tree of an order. Each condition belongs to the first join at which all of its columns are available. */
  joinOf(order: readonly number[], { node, rowsMax }: BoundJoin): BoundJoin {
    let left = (this.leaves[order[0] as number] as Leaf).relation;
    let seen = 1n << BigInt(order[0] as number);
    const open = new Set(this.conditions);
    for (const next of order.slice(1)) {
      const right = (this.leaves[next] as Leaf).relation;
      seen |= 1n << BigInt(next);
      const met = [...open].filter((it) => (it.leaves & ~seen) === 0n);
      for (const condition of met) open.delete(condition);
      const on = conjunction(met.map(({ conjunct }) => conjunct)) ?? alwaysTrue;
      const columns = [...left.columns, ...right.columns];
      const facts = { node, columns, ordered: false, rowsMax, key: undefined };
      left = { kind: 'join', join: 'inner', left, right, on, ...facts };
    }
    return left as BoundJoin;
  }

  private conditionOf(conjunct: BoundExpression): Condition {
    let leaves = 0n;
    for (const id of columnsReadBy(conjunct)) {
      const leaf = this.leafOf(id);
      if (leaf >= 0) leaves |= 1n << BigInt(leaf);
    }
    return { conjunct, leaves, share: this.shareOf(conjunct) };
  }

  private leafOf(id: number): number {
    return this.leaves.findIndex(({ ids }) => ids.has(id));
  }

  private shareOf(conjunct: BoundExpression): number {
    if (conjunct.kind !== 'compare' || conjunct.op !== 'eq') {
      const relations = this.leaves.map(({ relation }) => relation);
      return shareOf(conjunct, { counts: this.planning.counts, relations }).share;
    }
    const sides = [conjunct.left, conjunct.right].map((expression) => {
      const [id] = columnsReadBy(expression);
      const leaf = this.leaves[id === undefined ? -1 : this.leafOf(id)];
      return leaf && { expression, relation: leaf.relation };
    });
    const [left, right] = sides;
    if (left === undefined || right === undefined) return assumed.equal;
    return pairShare([{ left, right }], this.planning.counts)?.share ?? assumed.equal;
  }

  /** Returns the cost of looking up the matches of one row in a relation; `undefined` if the relation has no key for that. */
  private lookupOf(leaf: number, met: readonly Condition[]): LookupCost | undefined {
    const pairs = met.filter(({ conjunct }) => isEquality(conjunct));
    const name = `${leaf}: ${pairs.map((it) => this.conditions.indexOf(it)).join()}`;
    if (this.lookups.has(name)) return this.lookups.get(name);
    const { relation } = this.leaves[leaf] as Leaf;
    const conjuncts = pairs.map(({ conjunct }) => conjunct);
    const found = lookupCost(this.planning, relation, conjuncts, this.needed);
    this.lookups.set(name, found);
    return found;
  }
}

function lookedUpCost(rows: number, { cost, fetches }: LookupCost): number {
  const all = rows * (costs.run + cost);
  if (fetches === undefined) return all;
  return all - rows * fetches.cost + fetchedCost(rows, fetches.cost, fetches.costMax);
}

interface JoinOrderings {
  readonly merge: Ordering | undefined;
  readonly isMerged: boolean;
  readonly isLookup: boolean;
}

/** Returns the ordering of the joined rows. A lookup join preserves the order of the rows before it. */
function orderingOf({ ordering }: Joined, { merge, isMerged, isLookup }: JoinOrderings): Ordering {
  if (isMerged && merge !== undefined) return merge;
  return isLookup ? { ...ordering, totalAfter: undefined } : unordered;
}

/** Returns an equality between a column of the earlier relations and a column of the relation with columns `ids`. */
function columnPairOf(conjunct: BoundExpression, ids: ReadonlySet<number>): ColumnPair | undefined {
  if (conjunct.kind !== 'compare' || conjunct.op !== 'eq') return undefined;
  const { left, right } = conjunct;
  if (left.kind !== 'column' || right.kind !== 'column') return undefined;
  if (left.type.kind !== right.type.kind) return undefined;
  if (ids.has(right.id)) return { left: left.id, right: right.id };
  return { left: right.id, right: left.id };
}

function isEquality(conjunct: BoundExpression): boolean {
  return conjunct.kind === 'compare' && conjunct.op === 'eq';
}
