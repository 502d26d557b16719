/** Joins and set operators (docs/lir.md §5). */

import type { ConcatenateNode, JoinNode, SetNode } from '#lir';
import { type Errors, overRow, type Place } from './context.ts';
import { uniqueNames } from './crossing.ts';
import { bindPredicate, isScalar } from './expression.ts';
import { bindNode, distinctRows, soleScope } from './node.ts';
import { invalid } from './problem.ts';
import { type Column, joinScopes, type Relation, type Row, withRow } from './relation.ts';
import { rowIdentity } from './value.ts';

export function bindJoin(node: JoinNode, place: Place): Relation {
  const left = bindNode(node.left, place);
  const right = bindNode(node.right, besides(place, [left]));
  const isLeft = node.join === 'left';
  const padded = right.columns.map((column) => (isLeft ? { ...column, nullable: true } : column));
  const joined: Relation = {
    columns: [...left.columns, ...padded],
    scopes: joinScopes(left, right),
    isOrdered: false,
    bound: times(left.bound, isLeft ? Math.max(right.bound, 1) : right.bound),
    key: undefined,
    skipsSides: true,
    evaluate: () => [],
  };
  const on = bindPredicate(node.on, overRow(place, joined), true);
  const { errors } = place.document;
  const nulls = right.columns.map(() => null);
  return {
    ...joined,
    evaluate: (env) => {
      const lefts = errors.apart(() => left.evaluate(env));
      const rights = errors.apart(() => right.evaluate(env));
      let hasMatches = false;
      const rows = lefts.value.flatMap((row): Row[] => {
        const matches = rights.value
          .map((other) => [...row, ...other])
          .filter(
            (pair) => errors.attempt(() => on.evaluate(withRow(env, joined, pair)))?.value === true,
          );
        hasMatches ||= matches.length > 0;
        return matches.length === 0 && isLeft ? [[...row, ...nulls]] : matches;
      });
      // A side that cannot influence the result may be skipped.
      lefts.settle(isLeft || hasMatches);
      rights.settle(hasMatches);
      return rows;
    },
  };
}

/** Unbounded unless both sides are bounded; an empty side does not make an unbounded one bounded. */
function times(left: number, right: number): number {
  return Number.isFinite(left) && Number.isFinite(right) ? left * right : Number.POSITIVE_INFINITY;
}

/** A later sibling: using a column of an earlier one is a dependent join. */
function besides(place: Place, earlier: readonly Relation[]): Place {
  const siblings = new Map(place.siblings);
  for (const relation of earlier) {
    for (const [label, scope] of relation.scopes) siblings.set(label, scope.columns);
  }
  return { ...place, siblings };
}

export function bindSet(node: ConcatenateNode | SetNode, place: Place): Relation {
  const ids = node.kind === 'concatenate' ? node.inputs : [node.left, node.right];
  const inputs: Relation[] = [];
  for (const id of ids) inputs.push(bindNode(id, besides(place, inputs)));
  const [first] = inputs as [Relation, ...Relation[]];
  uniqueNames(first);
  for (const input of inputs) checkCompatible(first, input);
  const isBag = node.kind === 'concatenate';
  const columns = first.columns.map((column, i) => ({
    ...column,
    nullable: isBag ? inputs.some((input) => input.columns[i]?.nullable) : column.nullable,
  }));
  return {
    columns,
    scopes: soleScope(node.scope, columns, place.document),
    isOrdered: false,
    bound: boundOf(node.kind, inputs),
    key: isBag || node.quantifier === 'all' ? undefined : columns.map((_, i) => i),
    evaluate: (env) => {
      if (isBag) return inputs.flatMap((input) => input.evaluate(env));
      const { errors } = place.document;
      const sides = inputs.map((input) => errors.apart(() => input.evaluate(env)));
      const [left, right] = sides as [Side, Side];
      left.settle(node.kind === 'except' || right.value.length > 0);
      right.settle(left.value.length > 0);
      return combine(node, left.value, right.value, errors);
    },
  };
}

interface Side {
  readonly value: readonly Row[];
  settle(isNeeded: boolean): void;
}

function checkCompatible(first: Relation, other: Relation): void {
  const isSame = (a: Column, b: Column | undefined) =>
    isScalar(a.type) && a.name === b?.name && a.type === b.type;
  const isCompatible =
    first.columns.length === other.columns.length &&
    first.columns.every((column, i) => isSame(column, other.columns[i]));
  if (!isCompatible) throw invalid('type_mismatch', 'set inputs');
}

function boundOf(kind: string, inputs: readonly Relation[]): number {
  const bounds = inputs.map((input) => input.bound);
  if (kind === 'concatenate') return bounds.reduce((sum, bound) => sum + bound, 0);
  return kind === 'intersect' ? Math.min(...bounds) : (bounds[0] as number);
}

/** Every kept row is one of the left's. */
function combine(
  node: SetNode,
  left: readonly Row[],
  right: readonly Row[],
  errors: Errors,
): readonly Row[] {
  const all = distinctRows(left, errors);
  const counts = new Map<string, number>();
  for (const row of right) counts.set(rowIdentity(row), (counts.get(rowIdentity(row)) ?? 0) + 1);
  const keepsMatched = node.kind === 'intersect';
  if (node.quantifier === 'distinct') {
    return all.filter((row) => counts.has(rowIdentity(row)) === keepsMatched);
  }
  return left.filter((row) => {
    const remaining = counts.get(rowIdentity(row)) ?? 0;
    if (remaining > 0) counts.set(rowIdentity(row), remaining - 1);
    return remaining > 0 === keepsMatched;
  });
}
