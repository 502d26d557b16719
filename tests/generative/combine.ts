/** Relations of two inputs: joins on equalities and other conditions, and set operators over aligned columns. */

import type { Expression } from '#lir';
import type { ScalarType } from '#value';
import { type ExpressionPlace, expressionOf } from './expression.ts';
import { conjunction, lookupOf } from './lookup.ts';
import { filterOf, type RelationPlace, relationOf, scanOf } from './relation.ts';
import { type ColumnUse, columnsOf, type Generated, type GeneratedColumn, use } from './scope.ts';
import { literalOf, scalars, solidLiteral } from './values.ts';

export function joinOf(place: RelationPlace): Generated {
  const { draft, outer } = place;
  const { choices } = draft;
  const isOfTables = choices.oneIn(4);
  const side = () => (isOfTables ? tableOf(place) : relationOf(place));
  const left = side();
  const right = side();
  const scopes = [...left.scopes, ...right.scopes];
  const at = { draft, scopes, outer, allowsCrossings: false, depth: 1 };
  const keyed = isOfTables || choices.oneIn(3) ? keysOf(at, left, right) : undefined;
  const tests =
    keyed ?? choices.many(1, choices.oneIn(4) ? 2 : 1, () => equalityOf(at, left, right));
  const sided = choices.oneIn(3) ? lookupOf(at) : undefined;
  if (sided !== undefined) tests.push(sided);
  if (choices.oneIn(6)) tests.push(expressionOf(at, 'bool'));
  const join = choices.pick(['inner', 'left'] as const);
  const on = conjunction(choices.oneIn(8) ? tests.slice(-1) : tests);
  const id = draft.add({ kind: 'join', left: left.id, right: right.id, join, on });
  const joined = { id, columns: [...left.columns, ...right.columns], scopes, isOrdered: false };
  // A test of the outer side above makes an inner join of a left one.
  const above =
    join === 'left' && choices.oneIn(4) ? lookupOf({ ...at, scopes: right.scopes }) : undefined;
  if (above === undefined) return joined;
  return { ...joined, id: draft.add({ kind: 'filter', input: id, predicate: above }) };
}

/** A table, or some of its rows. */
function tableOf(place: RelationPlace): Generated {
  const table = scanOf(place.draft);
  return place.draft.choices.oneIn(3) ? filterOf(place, table) : table;
}

/** The first columns of a key or index of each side, as many as are alike; undefined where there are none. */
function keysOf({ draft }: ExpressionPlace, left: Generated, right: Generated) {
  const { choices } = draft;
  const found = pathsIn(left).flatMap((a) =>
    pathsIn(right).flatMap((b) => {
      const alike = a.findIndex((column, i) => column.type !== b[i]?.type);
      const pairs = a.slice(0, alike < 0 ? a.length : alike);
      return pairs.length === 0 ? [] : [pairs.map((column, i) => [column, b[i] as Used] as const)];
    }),
  );
  if (found.length === 0) return undefined;
  return choices
    .pick(found)
    .map(([a, b]): Expression => ({ kind: 'binary', op: 'eq', left: use(a), right: use(b) }));
}

type Used = ColumnUse & { readonly type: GeneratedColumn['type'] };

function pathsIn({ scopes }: Generated): readonly (readonly Used[])[] {
  return scopes.flatMap(({ label, columns, paths = [] }) =>
    paths.map((path) =>
      path.map((column): Used => {
        const { type } = columns.find(({ name }) => name === column) as GeneratedColumn;
        return { kind: 'col', scope: label, column, type };
      }),
    ),
  );
}

/** One column of each side, of one type; any condition when there is no such pair. */
function equalityOf(place: ExpressionPlace, left: Generated, right: Generated): Expression {
  const { choices } = place.draft;
  const pairs = scalars.flatMap((type) => {
    const others = columnsOf(right.scopes, type);
    return columnsOf(left.scopes, type).flatMap((a) => others.map((b) => [a, b] as const));
  });
  if (pairs.length === 0) return expressionOf(place, 'bool');
  const [a, b] = choices.pick(pairs);
  const [first, second] = choices.oneIn(2) ? [b, a] : [a, b];
  const op = choices.oneIn(10) ? choices.pick(['lt', 'gte', 'ne'] as const) : 'eq';
  return { kind: 'binary', op, left: use(first), right: use(second) };
}

export function setOf(place: RelationPlace): Generated {
  const { draft } = place;
  const { choices } = draft;
  const types = choices.many(1, choices.oneIn(2) ? 2 : 1, () => choices.pick(scalars));
  const columns = types.map(
    (type, i): GeneratedColumn => ({ name: `u${i}`, type, nullable: true }),
  );
  const left = aligned(place, types).id;
  const right = aligned(place, types).id;
  const quantifier = choices.pick(['all', 'distinct'] as const);
  const kind = choices.pick(['concatenate', 'intersect', 'except', 'except'] as const);
  const third = kind === 'concatenate' && choices.oneIn(4) ? [aligned(place, types).id] : [];
  const made = draft.leaf(
    (scope) =>
      kind === 'concatenate'
        ? { kind, inputs: [left, right, ...third], scope }
        : { kind, left, right, quantifier, scope },
    columns,
  );
  return { ...made, hasKey: kind !== 'concatenate' && quantifier === 'distinct' };
}

/** A relation cut down to columns `u0…` of the given types; `isSolid`: without NULL as far as types tell. */
export function aligned(
  place: RelationPlace,
  types: readonly ScalarType[],
  isSolid = false,
): Generated {
  const { draft } = place;
  const { choices } = draft;
  const input = relationOf(place);
  const fields = types.map((type, i) => {
    // Columns that may be NULL are no keys: their values repeat.
    const all = columnsOf(input.scopes, type);
    const repeating = all.filter((column) => column.nullable);
    const preferred = repeating.length > 0 && !choices.oneIn(3) ? repeating : all;
    const candidates = isSolid ? all.filter((column) => !column.nullable) : preferred;
    const expr: Expression =
      candidates.length > 0 && !choices.oneIn(6)
        ? use(choices.pick(candidates))
        : { kind: 'lit', value: (isSolid ? solidLiteral : literalOf)(choices, type) };
    return { as: `u${i}`, expr };
  });
  const id = draft.add({ kind: 'project', input: input.id, fields });
  const columns = types.map((type, i) => ({ name: `u${i}`, type, nullable: true }));
  return { id, columns, scopes: [], isOrdered: input.isOrdered };
}
