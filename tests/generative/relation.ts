/** Random relations, bottom up; order and uniqueness rules are satisfied where a place demands them. */

import type { Expression, Node } from '#lir';
import type { ScalarType } from '#value';
import { combineOf } from './combine.ts';
import { type ExpressionPlace, expressionOf, leafOf, predicateOf } from './expression.ts';
import type { Draft, Generated, GeneratedColumn, VisibleScope } from './scope.ts';
import { cellOf } from './values.ts';

export interface RelationPlace {
  readonly draft: Draft;
  /** Scopes of enclosing rows. */
  readonly outer: readonly VisibleScope[];
  readonly depth: number;
}

const scalars: readonly ScalarType[] = ['int64', 'text', 'float64', 'bool', 'bytes'];

export function relationOf(place: RelationPlace): Generated {
  const { choices } = place.draft;
  if (place.depth <= 0 || choices.isSpent) return sourceOf(place);
  const inner = { ...place, depth: place.depth - 1 };
  switch (choices.below(12)) {
    case 0:
    case 1:
      return sourceOf(place);
    case 2:
    case 3:
    case 4:
      return filterOf(inner, relationOf(inner));
    case 5:
      return projectOf(inner, relationOf(inner));
    case 6:
      return aggregateOf(inner, relationOf(inner));
    case 7:
      return orderOf(inner, relationOf(inner));
    case 8:
      return sliceOf(inner, relationOf(inner));
    case 9: {
      const input = relationOf(inner);
      const id = place.draft.add({ kind: 'distinct', input: input.id });
      return { ...input, id, isOrdered: false };
    }
    default:
      return combineOf(inner);
  }
}

export function sourceOf({ draft }: RelationPlace): Generated {
  const { choices } = draft;
  const scope = draft.label();
  if (draft.bindings.size > 0 && choices.oneIn(4)) {
    const [binding, columns] = choices.pick([...draft.bindings]);
    draft.used.add(binding);
    return leaf(draft, { kind: 'ref', binding, scope }, columns, scope);
  }
  if (choices.oneIn(5)) return rowsOf(draft, scope);
  const table = choices.pick(draft.schema.tables);
  const columns = table.columns.map(({ name, type }) => ({ name, type }));
  return leaf(draft, { kind: 'scan', table: table.name, scope }, columns, scope);
}

function rowsOf(draft: Draft, scope: string): Generated {
  const { choices } = draft;
  const columns = choices.many(1, 3, (i) => ({
    name: `v${i}`,
    type: choices.pick(scalars),
    nullable: choices.oneIn(2),
  }));
  const rows = choices.many(0, 4, () =>
    columns.map((column) => cellOf(choices, column.type, column.nullable)),
  );
  return leaf(draft, { kind: 'rows', scope, columns, rows }, columns, scope);
}

function leaf(
  draft: Draft,
  node: Node,
  columns: readonly GeneratedColumn[],
  label: string,
): Generated {
  return { id: draft.add(node), columns, scopes: [{ label, columns }], isOrdered: false };
}

export function over(place: RelationPlace, input: Generated, depth = 2): ExpressionPlace {
  return {
    draft: place.draft,
    scopes: [...input.scopes, ...place.outer],
    allowsCrossings: true,
    depth: Math.min(depth, place.depth + 1),
  };
}

export function filterOf(place: RelationPlace, input: Generated): Generated {
  const predicate = predicateOf(over(place, input));
  return { ...input, id: place.draft.add({ kind: 'filter', input: input.id, predicate }) };
}

export function projectOf(place: RelationPlace, input: Generated): Generated {
  const { draft } = place;
  const { choices } = draft;
  const scope = draft.label();
  const isSpreading = input.scopes.length > 0 && choices.oneIn(3);
  const spread = isSpreading ? [choices.pick(input.scopes)] : [];
  const fields = choices.many(1, 3, (i) => fieldOf(place, input, `f${draft.label()}${i}`));
  const id = draft.add({
    kind: 'project',
    input: input.id,
    scope,
    ...(isSpreading && { spread: spread.map(({ label }) => label) }),
    fields: fields.map(({ as, expr }) => ({ as, expr })),
  });
  const columns = [
    ...spread.flatMap((visible) => visible.columns),
    ...fields.map(({ as, type }) => ({ name: as, type })),
  ];
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: input.isOrdered };
}

function fieldOf(place: RelationPlace, input: Generated, as: string) {
  const { choices } = place.draft;
  const inner = {
    draft: place.draft,
    outer: [...input.scopes, ...place.outer],
    depth: place.depth - 1,
  };
  if (place.depth > 0 && choices.oneIn(6)) {
    const relation = totalOrderOf(inner, nameable(inner, relationOf(inner)));
    const kind = choices.pick(['array', 'first'] as const);
    const type = kind === 'array' ? 'array' : 'row';
    return { as, type, expr: { kind, node: relation.id } } as const;
  }
  const type = choices.pick(scalars);
  return { as, type, expr: expressionOf(over(place, input), type) };
}

function aggregateOf(place: RelationPlace, input: Generated): Generated {
  const { draft } = place;
  const { choices } = draft;
  const scope = draft.label();
  const at = over(place, input, 1);
  const groups = choices.many(0, 2, (i) => {
    const type = choices.pick(scalars);
    return { expr: expressionOf(at, type), as: `g${i}`, type };
  });
  const aggs = choices.many(1, 2, (i) => {
    const fn = choices.pick(['count', 'sum', 'min', 'max', 'avg'] as const);
    const isNumeric = fn === 'sum' || fn === 'avg';
    const type = isNumeric ? choices.pick(['int64', 'float64'] as const) : choices.pick(scalars);
    const isBare = fn === 'count' && choices.oneIn(2);
    const result: ScalarType = fn === 'count' ? 'int64' : fn === 'avg' ? 'float64' : type;
    return { fn, as: `a${i}`, type: result, ...(!isBare && { arg: leafOf(at, type) }) };
  });
  const columns = [...groups, ...aggs].map(({ as, type }) => ({ name: as, type }));
  const id = draft.add({
    kind: 'aggregate',
    input: input.id,
    scope,
    ...(groups.length > 0 && { groups: groups.map(({ expr, as }) => ({ expr, as })) }),
    aggs: aggs.map(({ type: _, ...term }) => term),
  });
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: false };
}

export function orderOf(place: RelationPlace, input: Generated): Generated {
  const { choices } = place.draft;
  const terms = choices.many(1, 2, () => ({
    expr: expressionOf(over(place, input, 1), choices.pick(scalars)),
    desc: choices.oneIn(2),
  }));
  const id = place.draft.add({ kind: 'order', input: input.id, terms });
  return { ...input, id, isOrdered: true };
}

function sliceOf(place: RelationPlace, input: Generated): Generated {
  const { choices } = place.draft;
  const ordered = input.isOrdered || choices.oneIn(3) ? input : orderOf(place, input);
  const offset = ordered.isOrdered ? choices.below(3) : 0;
  const limit = choices.below(5);
  const id = place.draft.add({ kind: 'slice', input: ordered.id, offset, limit });
  return { ...ordered, id };
}

/** Every scalar column is an order term, so that rows that tie look the same. */
export function totalOrderOf(place: RelationPlace, input: Generated): Generated {
  const { choices } = place.draft;
  const terms = input.scopes.flatMap((scope) =>
    scope.columns
      .filter((column) => column.type !== 'row' && column.type !== 'array')
      .map((column) => ({
        expr: { kind: 'col', scope: scope.label, column: column.name } as const,
        desc: choices.oneIn(3),
      })),
  );
  // A share relies on the tie-breaker alone.
  const used = choices.oneIn(4) ? terms.slice(0, 1) : terms;
  if (used.length === 0) return orderOf(place, input);
  return {
    ...input,
    id: place.draft.add({ kind: 'order', input: input.id, terms: used }),
    isOrdered: true,
  };
}

/** Unique column names, by a projection where a join has repeated one. */
export function nameable(place: RelationPlace, input: Generated): Generated {
  const names = new Set(input.columns.map((column) => column.name));
  return names.size === input.columns.length ? input : projectOf(place, input);
}

/** A crossing that yields a scalar of the type. */
export function crossingOf(place: ExpressionPlace, type: ScalarType): Expression {
  const { draft } = place;
  const inner = { draft, outer: place.scopes, depth: Math.min(1, place.depth) };
  if (type === 'bool') return { kind: 'exists', node: filterOf(inner, relationOf(inner)).id };
  const input = filterOf(inner, relationOf(inner));
  const scope = draft.label();
  const fn = type === 'int64' && draft.choices.oneIn(2) ? 'count' : 'max';
  const arg = leafOf({ ...place, scopes: [...input.scopes, ...place.scopes] }, type);
  const node = draft.add({
    kind: 'aggregate',
    input: input.id,
    scope,
    aggs: [{ fn, as: 'x', arg }],
  });
  return { kind: 'scalar', node };
}
