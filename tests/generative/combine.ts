/** Relations of two inputs: joins on equalities and other conditions, and set operators over aligned columns. */

import type { Expression } from '#lir';
import type { ScalarType } from '#value';
import { predicateOf } from './expression.ts';
import { type RelationPlace, relationOf } from './relation.ts';
import type { Draft, Generated, GeneratedColumn } from './scope.ts';
import { literalOf } from './values.ts';

export function combineOf(place: RelationPlace): Generated {
  return place.draft.choices.oneIn(3) ? setOf(place) : joinOf(place);
}

function joinOf(place: RelationPlace): Generated {
  const { draft } = place;
  const { choices } = draft;
  const left = relationOf(place);
  const right = relationOf(place);
  const scopes = [...left.scopes, ...right.scopes];
  const at = {
    draft,
    scopes: [...scopes, ...place.outer],
    allowsCrossings: choices.oneIn(100),
    depth: 1,
  };
  const equality = equalityOf(draft, left, right);
  const on: Expression =
    equality === undefined || choices.oneIn(4)
      ? predicateOf(at)
      : choices.oneIn(3)
        ? { kind: 'binary', op: 'and', left: equality, right: predicateOf(at) }
        : equality;
  const join = choices.pick(['inner', 'left'] as const);
  const id = draft.add({ kind: 'join', left: left.id, right: right.id, join, on });
  return { id, columns: [...left.columns, ...right.columns], scopes, isOrdered: false };
}

/** One column of each side, of one type. */
function equalityOf(draft: Draft, left: Generated, right: Generated): Expression | undefined {
  const pairs = left.scopes.flatMap((a) =>
    a.columns.flatMap((x) =>
      right.scopes.flatMap((b) =>
        b.columns
          .filter((y) => y.type === x.type && y.type !== 'row' && y.type !== 'array')
          .map((y) => ({ a: [a.label, x.name] as const, b: [b.label, y.name] as const })),
      ),
    ),
  );
  if (pairs.length === 0) return undefined;
  const { a, b } = draft.choices.pick(pairs);
  const col = ([scope, column]: readonly [string, string]): Expression => ({
    kind: 'col',
    scope,
    column,
  });
  const [first, second] = draft.choices.oneIn(2) ? [b, a] : [a, b];
  return { kind: 'binary', op: 'eq', left: col(first), right: col(second) };
}

function setOf(place: RelationPlace): Generated {
  const { draft } = place;
  const { choices } = draft;
  const types = choices.many(1, 2, () =>
    choices.pick(['int64', 'text', 'float64', 'bool'] as const),
  );
  const columns = types.map((type, i): GeneratedColumn => ({ name: `u${i}`, type }));
  const left = aligned(place, types).id;
  const right = aligned(place, types).id;
  const scope = draft.label();
  const quantifier = choices.pick(['all', 'distinct'] as const);
  const kind = choices.pick(['concatenate', 'intersect', 'except'] as const);
  const id = draft.add(
    kind === 'concatenate'
      ? { kind, inputs: [left, right], scope }
      : { kind, left, right, quantifier, scope },
  );
  return { id, columns, scopes: [{ label: scope, columns }], isOrdered: false };
}

/** A relation cut down to columns `u0…` of the given types. */
export function aligned(place: RelationPlace, types: readonly ScalarType[]): Generated {
  const { draft } = place;
  const input = relationOf(place);
  const fields = types.map((type, i) => {
    const candidates = input.scopes.flatMap((scope) =>
      scope.columns
        .filter((column) => column.type === type)
        .map((column): Expression => ({ kind: 'col', scope: scope.label, column: column.name })),
    );
    const literal: Expression = { kind: 'lit', value: literalOf(draft.choices, type) };
    return { as: `u${i}`, expr: draft.choices.pick([...candidates, literal]) };
  });
  const id = draft.add({ kind: 'project', input: input.id, fields });
  const columns = types.map((type, i): GeneratedColumn => ({ name: `u${i}`, type }));
  return { id, columns, scopes: [], isOrdered: input.isOrdered };
}
