/**
 * Predicate push-down. Conjuncts move towards the tables through every operator that cannot raise. An operator that can raise stays in place and stops them,
 * so that the same errors appear as in plain evaluation (docs/lir.md §10).
 */

import { unreachable } from '#base';
import { inputsOf } from '#lir';
import type {
  BoundAggregate,
  BoundExpression,
  BoundFilter,
  BoundJoin,
  BoundProject,
  BoundRelation,
} from '../bind/bound.ts';
import { columnsReadBy } from '../bind/columns-read.ts';
import { areOutside, type IdRange, idRangeOf } from '../facts/id-range.ts';
import { hasCrossing } from '../facts/tree.ts';
import { alwaysTrue, conjunction, divide, filtered, type RewriteFacts } from './conjuncts.ts';
import { withoutPadding } from './outer-to-inner.ts';
import { type Substitution, sizeOf, substitute } from './substitute.ts';

type Conjuncts = readonly BoundExpression[];

/** Maximum number of parts of a pushed predicate after substitution. */
const substitutedPartsMax = 100;

/** Returns `relation` filtered by `conjuncts`, which must not raise errors or contain crossings. */
export function pushFilters(
  relation: BoundRelation,
  conjuncts: Conjuncts,
  facts: RewriteFacts,
): BoundRelation {
  const isLeaf = inputsOf(relation).length === 0;
  if (conjuncts.length > 0 && !isLeaf && !facts.rewriteBudget.spend(conjuncts)) {
    return filtered(pushFilters(relation, [], facts), conjuncts);
  }
  const push = (input: BoundRelation, into: Conjuncts) => pushFilters(input, into, facts);
  const passes = !facts.failures.operatorCanRaise(relation);
  switch (relation.kind) {
    case 'scan':
    case 'rows':
    case 'reference':
    case 'frontier':
      return filtered(relation, conjuncts);
    case 'filter':
      return pushIntoFilter(relation, conjuncts, facts);
    case 'project':
      return pushIntoProject(relation, conjuncts, facts);
    case 'join':
      return passes
        ? pushIntoJoin(relation, conjuncts, facts)
        : filtered(pushIntoRaisingJoin(relation, facts), conjuncts);
    case 'aggregate':
      return pushIntoAggregate(relation, conjuncts, facts);
    case 'order':
    case 'distinct':
      return passes
        ? { ...relation, input: push(relation.input, conjuncts) }
        : filtered({ ...relation, input: push(relation.input, []) }, conjuncts);
    case 'slice':
      return filtered({ ...relation, input: push(relation.input, []) }, conjuncts);
    case 'concatenate':
      return {
        ...relation,
        inputs: relation.inputs.map((input) => push(input, renamed(conjuncts, relation, input))),
      };
    case 'intersect':
    case 'except':
      return {
        ...relation,
        left: push(relation.left, renamed(conjuncts, relation, relation.left)),
        right: push(relation.right, []),
      };
    default:
      return unreachable(relation);
  }
}

function pushIntoFilter(
  filter: BoundFilter,
  conjuncts: Conjuncts,
  facts: RewriteFacts,
): BoundRelation {
  const { free, rest } = divide(filter.predicate, facts);
  if (rest === undefined) {
    const pushed = pushFilters(filter.input, [...free, ...conjuncts], facts);
    // The row bound of the filter also holds after its conjuncts have moved.
    return { ...pushed, rowsMax: Math.min(pushed.rowsMax, filter.rowsMax) };
  }
  const passes = !facts.failures.canRaise(rest);
  const below = pushFilters(filter.input, passes ? [...free, ...conjuncts] : free, facts);
  const kept = { ...filter, input: below, predicate: rest };
  return passes ? kept : filtered(kept, conjuncts);
}

function pushIntoProject(
  project: BoundProject,
  conjuncts: Conjuncts,
  facts: RewriteFacts,
): BoundRelation {
  const passes = !facts.failures.operatorCanRaise(project);
  const by = new Map(
    project.columns.map(({ id }, i) => [id, project.fields[i] as BoundExpression]),
  );
  const [below, above] = split(conjuncts, (conjunct) => passes && fitsBelow(conjunct, by));
  const input = pushFilters(
    project.input,
    below.map((conjunct) => substitute(conjunct, by)),
    facts,
  );
  return filtered({ ...project, input }, above);
}

function fitsBelow(conjunct: BoundExpression, by: Substitution): boolean {
  let parts = sizeOf(conjunct, substitutedPartsMax);
  for (const id of columnsReadBy(conjunct)) {
    const field = by.get(id);
    if (field === undefined) continue;
    if (hasCrossing(field)) return false;
    parts += sizeOf(field, substitutedPartsMax);
  }
  return parts <= substitutedPartsMax;
}

function pushIntoJoin(given: BoundJoin, conjuncts: Conjuncts, facts: RewriteFacts): BoundRelation {
  const join = facts.narrows ? withoutPadding(given, conjuncts) : given;
  const isInner = join.join === 'inner';
  const { free: on } = divide(join.on, facts);
  const readsNone = (range: IdRange) => (conjunct: BoundExpression) =>
    areOutside(columnsReadBy(conjunct), range);
  const [toLeft, others] = split(
    isInner ? [...conjuncts, ...on] : conjuncts,
    readsNone(idRangeOf(join.right)),
  );
  const [toRight, both] = split(isInner ? others : on, readsNone(idRangeOf(join.left)));
  const joined: BoundJoin = {
    ...join,
    left: pushFilters(join.left, toLeft, facts),
    right: pushFilters(join.right, toRight, facts),
    on: conjunction(both) ?? alwaysTrue,
  };
  return isInner ? joined : filtered(joined, others);
}

/** Rewrites the inputs of a join whose condition can raise. No conjunct moves out of the condition into an input, so that no error is lost. */
function pushIntoRaisingJoin(join: BoundJoin, facts: RewriteFacts): BoundRelation {
  return {
    ...join,
    left: pushFilters(join.left, [], facts),
    right: pushFilters(join.right, [], facts),
  };
}

/** Pushes conjuncts that read only group keys below the aggregate, so that the dropped groups are never built. */
function pushIntoAggregate(
  aggregate: BoundAggregate,
  conjuncts: Conjuncts,
  facts: RewriteFacts,
): BoundRelation {
  const { groups, columns } = aggregate;
  const by = new Map(groups.map((group, i) => [columns[i]?.id as number, group]));
  const keys: ReadonlySet<number> = new Set(by.keys());
  const others = new Set(columns.map(({ id }) => id).filter((id) => !keys.has(id)));
  const passes = !aggregate.isGlobal && !facts.failures.operatorCanRaise(aggregate);
  const [below, above] = split(conjuncts, (conjunct) => {
    return passes && columnsReadBy(conjunct).isDisjointFrom(others) && fitsBelow(conjunct, by);
  });
  const input = pushFilters(
    aggregate.input,
    below.map((conjunct) => substitute(conjunct, by)),
    facts,
  );
  return filtered({ ...aggregate, input }, above);
}

/** Rewrites conjuncts over the columns of `from` as conjuncts over the columns of `to` at the same positions. */
function renamed(conjuncts: Conjuncts, from: BoundRelation, to: BoundRelation): Conjuncts {
  if (conjuncts.length === 0) return conjuncts;
  const by: Substitution = new Map(
    from.columns.map(({ id }, i) => {
      const { id: target, type, nullable } = to.columns[i] as BoundRelation['columns'][number];
      return [id, { kind: 'column', id: target, type, nullable }];
    }),
  );
  return conjuncts.map((conjunct) => substitute(conjunct, by));
}

function split<Item>(
  items: readonly Item[],
  test: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  const passed: Item[] = [];
  const failed: Item[] = [];
  for (const item of items) (test(item) ? passed : failed).push(item);
  return [passed, failed];
}
