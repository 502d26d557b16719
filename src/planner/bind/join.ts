/** Binds `join`: the right side may not depend on the left side, and the scopes of both sides stay visible (docs/lir.md §4, §5). */

import type { Steps } from '#base';
import type { JoinNode } from '#lir';
import type { BoundRelation } from './bound.ts';
import { bindPredicate } from './expression.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';

export function* bindJoin(at: NodeSite, node: JoinNode): Steps<BoundInScope> {
  const left = yield* at.input(node.left);
  const padded = node.join === 'left' ? 'on the right of a left join' : undefined;
  const right = yield* at.besides(left.scopes).input(node.right, padded);
  const { scopes } = left;
  for (const [label, scope] of right.scopes) scopes.set(label, scope);
  const site = at.site('on', scopes, 'the condition of a join may not contain a crossing');
  const on = bindPredicate(site, node.on, 'join condition');
  const relation = joined(at.id, node, [left.relation, right.relation], on);
  return { relation, scopes, pins: undefined };
}

function joined(
  id: string,
  { join }: JoinNode,
  [left, right]: readonly [BoundRelation, BoundRelation],
  on: Extract<BoundRelation, { kind: 'join' }>['on'],
): BoundRelation {
  const isLeft = join === 'left';
  const padded = isLeft
    ? right.columns.map((column) => ({ ...column, nullable: true }))
    : right.columns;
  const columns = [...left.columns, ...padded];
  const factor = isLeft ? Math.max(right.rowsMax, 1) : right.rowsMax;
  const isBounded = left.rowsMax < Infinity && right.rowsMax < Infinity;
  const rowsMax = isBounded ? left.rowsMax * factor : Infinity;
  const facts = { columns, ordered: false, rowsMax, key: undefined };
  return { kind: 'join', node: id, join, left, right, on, ...facts };
}
