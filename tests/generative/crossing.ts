/** Crossings: by key, by index, by an unindexed column, over joins, over anything, and one within another. */

import type { Expression } from '#lir';
import type { ScalarType } from '#value';
import { type ExpressionPlace, leafOf } from './expression.ts';
import {
  filterOf,
  joinOf,
  nameable,
  orderOf,
  over,
  type RelationPlace,
  relationOf,
  scanOf,
  totalOrderOf,
} from './relation.ts';
import { columnsOf, type Generated, use } from './scope.ts';

/** A crossing that yields a scalar of the type. */
export function crossingOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { draft } = place;
  const { choices } = draft;
  const inner = within(place);
  if (type === 'bool' && !choices.oneIn(4)) return { kind: 'exists', node: correlated(inner).id };
  const input = correlated(inner);
  const kind = choices.below(4);
  if (kind <= 1 && columnsOf(input.scopes, type).length > 0) {
    return kind === 0 ? limited(inner, input, type) : checked(inner, input, type);
  }
  const fold = choices.pick(['max', 'min'] as const);
  const fn = type === 'int64' && choices.oneIn(2) ? ('count' as const) : fold;
  const arg = leafOf(over(inner, input), type);
  const isBare = fn === 'count' && choices.oneIn(2);
  const agg = { fn, as: 'x', ...(!isBare && { arg }) };
  const scope = draft.label();
  const node = draft.add({ kind: 'aggregate', input: input.id, scope, aggs: [agg] });
  return { kind: 'scalar', node };
}

function within(place: ExpressionPlace): RelationPlace {
  const outer = [...place.scopes, ...place.outer];
  return { draft: place.draft, outer, depth: Math.min(1, place.depth) };
}

/** One column of at most one row. */
function limited(inner: RelationPlace, input: Generated, type: ScalarType): Expression {
  const { draft } = inner;
  const ordered = totalOrderOf(inner, input);
  const slice = draft.add({ kind: 'slice', input: ordered.id, limit: 1 });
  const expr = use(draft.choices.pick(columnsOf(input.scopes, type)));
  const node = draft.add({ kind: 'project', input: slice, fields: [{ as: 'x', expr }] });
  return { kind: 'scalar', node };
}

/** One column of as many rows as there are, mostly as different ones. */
function checked(inner: RelationPlace, input: Generated, type: ScalarType): Expression {
  const { draft } = inner;
  const { choices } = draft;
  const expr = use(choices.pick(columnsOf(input.scopes, type)));
  const values = draft.add({ kind: 'project', input: input.id, fields: [{ as: 'x', expr }] });
  const node = choices.oneIn(3) ? values : draft.add({ kind: 'distinct', input: values });
  return { kind: 'scalar', node, check: true };
}

/** Rows that have to do with the enclosing row. */
export function correlated(place: RelationPlace): Generated {
  const { choices } = place.draft;
  switch (choices.below(6)) {
    case 4:
      return filterOf(place, relationOf(place));
    case 5:
      return filterOf(place, joinOf({ ...place, depth: 0 }));
    default:
      return filterOf(place, scanOf(place.draft));
  }
}

/** A row or an array of rows, of rows with arrays in them now and then. */
export function nestedOf(place: RelationPlace, input: Generated, as: string) {
  const { draft } = place;
  const { choices } = draft;
  const inner = {
    draft,
    outer: [...input.scopes, ...place.outer],
    depth: Math.max(0, place.depth - 1),
  };
  const found = correlated(inner);
  const extended = place.depth > 0 && choices.oneIn(3) ? extendedOf(inner, found) : found;
  const named = nameable(inner, extended);
  const ordered = choices.oneIn(5) ? orderOf(inner, named) : totalOrderOf(inner, named);
  const limit = choices.below(4);
  const node =
    limit > 1 ? ordered.id : draft.add({ kind: 'slice', input: ordered.id, limit: limit + 1 });
  const kind = choices.pick(['array', 'first'] as const);
  const type = kind === 'array' ? ('array' as const) : ('row' as const);
  return { as, type, nullable: true, expr: { kind, node } as const };
}

/** The columns and one more, which is nested again. */
function extendedOf(place: RelationPlace, input: Generated): Generated {
  const { draft } = place;
  const [first] = input.scopes;
  if (first === undefined) return input;
  const field = nestedOf({ ...place, depth: place.depth - 1 }, input, draft.label());
  const scope = draft.label();
  const spread = [first.label];
  const fields = [{ as: field.as, expr: field.expr }];
  const id = draft.add({ kind: 'project', input: input.id, scope, spread, fields });
  const columns = [
    ...first.columns.map((column) => ({ ...column, nullable: true })),
    { name: field.as, type: field.type, nullable: true },
  ];
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: input.isOrdered };
}
