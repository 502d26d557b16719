/** Random relations, bottom up; order and uniqueness rules are satisfied where a place demands them. */

import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';
import { joinOf, setOf } from './combine.ts';
import { nestedOf } from './crossing.ts';
import { type ExpressionPlace, expressionOf, leafOf, predicateOf } from './expression.ts';
import { pathsOf, shapeColumns } from './schema.ts';
import {
  columnsOf,
  type Draft,
  type Generated,
  type GeneratedColumn,
  use,
  type VisibleScope,
} from './scope.ts';
import { cellOf, scalars } from './values.ts';

export { joinOf };

export interface RelationPlace {
  readonly draft: Draft;
  /** Scopes of enclosing rows. */
  readonly outer: readonly VisibleScope[];
  readonly depth: number;
}

export function relationOf(place: RelationPlace): Generated {
  const { choices } = place.draft;
  if (place.depth <= 0 || choices.isSpent) return sourceOf(place);
  const inner = { ...place, depth: place.depth - 1 };
  switch (choices.below(16)) {
    case 0:
      return sourceOf(place);
    case 1:
    case 2:
    case 3:
      return filterOf(inner, relationOf(inner));
    case 4:
    case 5:
      return projectOf(inner, relationOf(inner));
    case 6:
    case 7:
      return aggregateOf(inner, relationOf(inner));
    case 8:
      return orderOf(inner, relationOf(inner));
    case 9:
    case 10:
      return sliceOf(inner, relationOf(inner));
    case 11: {
      const input = relationOf(inner);
      const id = place.draft.add({ kind: 'distinct', input: input.id });
      return { ...input, id, isOrdered: false, hasKey: true };
    }
    case 12:
    case 13:
      return setOf(inner);
    default:
      return joinOf(inner);
  }
}

export function sourceOf({ draft }: RelationPlace): Generated {
  const { choices } = draft;
  if (draft.bindings.size > 0 && choices.oneIn(3)) {
    const [binding, columns] = choices.pick([...draft.bindings]);
    return draft.leaf((scope) => ({ kind: 'ref', binding, scope }), columns);
  }
  return choices.oneIn(8) ? rowsOf(draft) : scanOf(draft);
}

export function scanOf(draft: Draft): Generated {
  const table = draft.choices.pick(draft.schema.tables);
  const { name } = table;
  const node = (scope: string) => ({ kind: 'scan', table: name, scope }) as const;
  return { ...draft.leaf(node, shapeColumns(table), pathsOf(table)), hasKey: true };
}

function rowsOf(draft: Draft): Generated {
  const { choices } = draft;
  const columns = choices.many(1, 3, (i) => ({
    name: `v${i}`,
    type: choices.pick(scalars),
    nullable: choices.oneIn(2),
  }));
  const rows = choices.many(0, 4, () => columns.map((column) => cellOf(choices, column)));
  return draft.leaf((scope) => ({ kind: 'rows', scope, columns, rows }), columns);
}

export function over(place: RelationPlace, input: Generated, depth = 2): ExpressionPlace {
  return {
    draft: place.draft,
    scopes: input.scopes,
    outer: place.outer,
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
  const spread = input.scopes.length > 0 && choices.oneIn(3) ? [choices.pick(input.scopes)] : [];
  const fields = choices.many(1, 3, () => fieldOf(place, input, draft.label()));
  const scope = draft.label();
  const id = draft.add({
    kind: 'project',
    input: input.id,
    scope,
    ...(spread.length > 0 && { spread: spread.map(({ label }) => label) }),
    fields: fields.map(({ as, expr }) => ({ as, expr })),
  });
  const columns = [
    ...spread.flatMap((visible) => visible.columns),
    ...fields.map(({ as, type }) => ({ name: as, type })),
  ].map((column): GeneratedColumn => ({ ...column, nullable: true }));
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: input.isOrdered };
}

function fieldOf(place: RelationPlace, input: Generated, as: string) {
  const { choices } = place.draft;
  if (choices.oneIn(4)) return nestedOf(place, input, as);
  const type = choices.pick(scalars);
  return { as, type, nullable: true, expr: expressionOf(over(place, input), type) };
}

function aggregateOf(place: RelationPlace, input: Generated): Generated {
  const { draft } = place;
  const { choices } = draft;
  const at = over(place, input, 1);
  const groups = choices.many(0, 2, (i) => {
    const type = choices.pick(scalars);
    const columns = columnsOf(input.scopes, type);
    const isBare = columns.length > 0 && !choices.oneIn(3);
    const expr = isBare ? use(choices.pick(columns)) : expressionOf(at, type);
    return { expr, as: `g${i}`, type };
  });
  const aggs = choices.many(groups.length > 0 ? 0 : 1, 2, (i) => {
    const fn = choices.pick(['count', 'sum', 'min', 'max', 'avg'] as const);
    const isNumeric = fn === 'sum' || fn === 'avg';
    const type = isNumeric ? choices.pick(['int64', 'float64'] as const) : choices.pick(scalars);
    const isBare = fn === 'count' && choices.oneIn(2);
    const result: ScalarType = fn === 'count' ? 'int64' : fn === 'avg' ? 'float64' : type;
    const arg = choices.oneIn(4) ? expressionOf(at, type) : leafOf(at, type);
    return { fn, as: `a${i}`, type: result, ...(!isBare && { arg }) };
  });
  const scope = draft.label();
  const columns = [...groups, ...aggs].map(({ as, type }) => ({ name: as, type, nullable: true }));
  const hasKey = groups.length > 0;
  const id = draft.add({
    kind: 'aggregate',
    input: input.id,
    scope,
    ...(groups.length > 0 && { groups: groups.map(({ expr, as }) => ({ expr, as })) }),
    ...(aggs.length > 0 && { aggs: aggs.map(({ type: _, ...term }) => term) }),
  });
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: false, hasKey };
}

export function orderOf(place: RelationPlace, input: Generated): Generated {
  const { choices } = place.draft;
  const terms = choices.many(1, 2, () => ({
    expr: expressionOf(over(place, input, 1), choices.pick(scalars)),
    desc: choices.oneIn(2),
    ...nullsOf(choices),
  }));
  const id = place.draft.add({ kind: 'order', input: input.id, terms });
  return { ...input, id, isOrdered: true };
}

function nullsOf(choices: Choices): { readonly nulls?: 'first' | 'last' } {
  return choices.oneIn(6) ? { nulls: choices.pick(['last', 'first'] as const) } : {};
}

/** Mostly over a complete order: another slice's rows are anybody's choice. */
function sliceOf(place: RelationPlace, input: Generated): Generated {
  const { choices } = place.draft;
  const ordered = choices.oneIn(8) ? input : totalOrderOf(place, input);
  const offset = ordered.isOrdered ? choices.below(3) : 0;
  const limit = choices.below(5);
  const isOpen = choices.oneIn(5);
  const id = place.draft.add({
    kind: 'slice',
    input: ordered.id,
    ...(offset > 0 && { offset }),
    ...(!isOpen && { limit }),
  });
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
        ...nullsOf(choices),
      })),
  );
  // A share relies on the tie-breaker alone.
  const used = input.hasKey && terms.length > 0 && choices.oneIn(2) ? [choices.pick(terms)] : terms;
  if (used.length === 0) return orderOf(place, input);
  // Keys come first in tables, and after a key nothing else orders.
  const from = choices.below(used.length);
  const sorted = [...used.slice(from), ...used.slice(0, from)];
  const id = place.draft.add({ kind: 'order', input: input.id, terms: sorted });
  return { ...input, id, isOrdered: true };
}

/** Unique column names, by a projection where a join has repeated one. */
export function nameable(place: RelationPlace, input: Generated): Generated {
  const names = new Set(input.columns.map((column) => column.name));
  if (names.size === input.columns.length) return input;
  const { draft } = place;
  const fields = input.scopes.flatMap(({ label, columns }) =>
    columns.map(({ name, type }) => {
      const expr = { kind: 'col', scope: label, column: name } as const;
      return { as: draft.label(), type, expr };
    }),
  );
  const kept = fields.filter((_, i) => i === 0 || !draft.choices.oneIn(3));
  const scope = draft.label();
  const id = draft.add({
    kind: 'project',
    input: input.id,
    scope,
    fields: kept.map(({ as, expr }) => ({ as, expr })),
  });
  const columns = kept.map(({ as, type }) => ({ name: as, type, nullable: true }));
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: input.isOrdered };
}
