/** Whole documents: bindings, main tree, root. */

import type { Binding, Query } from '#lir';
import type { Choices } from './choices.ts';
import { prune } from './prune.ts';
import { recursiveOf } from './recursion.ts';
import { nameable, orderOf, relationOf, totalOrderOf } from './relation.ts';
import type { Schema } from './schema.ts';
import { Draft, type Generated, type GeneratedColumn } from './scope.ts';
import { scalars } from './values.ts';

export type NamedColumns = ReadonlyMap<string, readonly GeneratedColumn[]>;

export function queryOf(choices: Choices, schema: Schema, statements: NamedColumns) {
  const draft = new Draft(choices, schema, statements);
  const bindings = bindingsOf(draft);
  const place = { draft, outer: [], depth: 1 + choices.below(3) };
  const relation = nameable(place, relationOf(place));
  return finish(draft, bindings, relation);
}

const cardinalities = ['many', 'many', 'many', 'many', 'first', 'exactly_one', 'scalar'] as const;

function finish(draft: Draft, bindings: Readonly<Record<string, Binding>>, relation: Generated) {
  const { choices } = draft;
  const place = { draft, outer: [], depth: 1 };
  const cardinality = choices.pick(cardinalities);
  const ordered = choices.oneIn(10) ? orderOf(place, relation) : totalOrderOf(place, relation);
  const query: Query = {
    nodes: draft.nodes,
    ...(Object.keys(bindings).length > 0 && { bindings }),
    root: { node: ordered.id, cardinality: cardinality === 'scalar' ? 'many' : cardinality },
  };
  if (cardinality !== 'scalar' && cardinality !== 'exactly_one') {
    const root = choices.oneIn(8) ? unorderedRoot(draft, query, relation) : query.root;
    return { query: prune({ ...query, root }), columns: relation.columns };
  }
  const folded = cardinality === 'scalar' ? foldOf(draft, relation) : limitOf(draft, ordered);
  const root = { node: folded.id, cardinality };
  return { query: prune({ ...query, root }), columns: folded.columns };
}

/** Mostly without the order that the root may lack. */
function unorderedRoot(draft: Draft, { root }: Query, relation: Generated): Query['root'] {
  const node = draft.choices.oneIn(4) ? root.node : relation.id;
  return { ...root, node, unordered: true };
}

function foldOf(draft: Draft, relation: Generated): Generated {
  const type = draft.choices.pick(scalars);
  const candidates = relation.scopes.flatMap(({ label, columns }) =>
    columns.filter((column) => column.type === type).map(({ name }) => [label, name] as const),
  );
  const [scope, column] = candidates[0] ?? [];
  const arg =
    scope === undefined || column === undefined
      ? undefined
      : ({ kind: 'col', scope, column } as const);
  const agg =
    arg === undefined
      ? ({ fn: 'count', as: 'n' } as const)
      : ({ fn: 'max', as: 'n', arg } as const);
  const id = draft.add({ kind: 'aggregate', input: relation.id, aggs: [agg] });
  const columns = [
    { name: 'n', type: arg === undefined ? 'int64' : type, nullable: true } as const,
  ];
  return { id, columns, scopes: [], isOrdered: false };
}

/** At most one row, so that the rule of one row mostly holds. */
function limitOf(draft: Draft, ordered: Generated): Generated {
  if (draft.choices.oneIn(6)) return ordered;
  return { ...ordered, id: draft.add({ kind: 'slice', input: ordered.id, limit: 1 }) };
}

function bindingsOf(draft: Draft): Readonly<Record<string, Binding>> {
  const { choices } = draft;
  const bindings: Record<string, Binding> = {};
  for (const name of choices.oneIn(3) ? choices.many(1, 2, (i) => `b${i}`) : []) {
    if (choices.oneIn(2)) {
      bindings[name] = recursiveOf(draft, name);
      continue;
    }
    const place = { draft, outer: [], depth: 1 + choices.below(2) };
    const body = nameable(place, relationOf(place));
    draft.bindings.set(
      name,
      body.columns.map((column) => ({ ...column, nullable: true })),
    );
    bindings[name] = { kind: 'derived', node: body.id };
  }
  return bindings;
}
