/** Whole documents: bindings, main tree, root. */

import type { Binding, Query } from '#lir';
import type { ScalarType } from '#value';
import type { Choices } from './choices.ts';
import { aligned } from './combine.ts';
import { prune } from './prune.ts';
import { nameable, relationOf, totalOrderOf } from './relation.ts';
import type { Schema } from './schema.ts';
import { Draft, type Generated, type GeneratedColumn } from './scope.ts';

export type NamedColumns = ReadonlyMap<string, readonly GeneratedColumn[]>;

export function queryOf(choices: Choices, schema: Schema, statements: NamedColumns) {
  const draft = new Draft(choices, schema, statements);
  const bindings = bindingsOf(draft);
  const place = { draft, outer: [], depth: 1 + choices.below(4) };
  const relation = nameable(place, relationOf(place));
  return finish(draft, bindings, relation);
}

function finish(draft: Draft, bindings: Readonly<Record<string, Binding>>, relation: Generated) {
  const place = { draft, outer: [], depth: 1 };
  const cardinality = draft.choices.pick(['many', 'many', 'many', 'first', 'exactly_one'] as const);
  const root = cardinality === 'exactly_one' ? relation : totalOrderOf(place, relation);
  const query: Query = {
    nodes: draft.nodes,
    ...(Object.keys(bindings).length > 0 && { bindings }),
    root: { node: root.id, cardinality },
  };
  // A small share keeps what nothing uses, which is an error.
  return { query: draft.choices.oneIn(60) ? query : prune(query), columns: relation.columns };
}

function bindingsOf(draft: Draft): Readonly<Record<string, Binding>> {
  const { choices } = draft;
  if (!choices.oneIn(5)) return {};
  const place = { draft, outer: [], depth: 2 };
  if (choices.oneIn(3)) return { rec: recursiveOf(draft) };
  const body = nameable(place, relationOf(place));
  draft.bindings.set('der', body.columns);
  return { der: { kind: 'derived', node: body.id } };
}

/** Counts up to a small bound: `u0` grows by one each step, other columns are carried. */
function recursiveOf(draft: Draft): Binding {
  const { choices } = draft;
  const types: readonly ScalarType[] = choices.oneIn(2) ? ['int64'] : ['int64', 'text'];
  const anchor = aligned({ draft, outer: [], depth: 1 }, types);
  const columns = types.map((type, i): GeneratedColumn => ({ name: `u${i}`, type }));
  const scope = draft.label();
  const frontier = draft.add({ kind: 'recursive_ref', binding: 'rec', scope });
  const col = (column: string) => ({ kind: 'col', scope, column }) as const;
  const int = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } }) as const;
  const between = {
    kind: 'binary',
    op: 'and',
    left: { kind: 'binary', op: 'gte', left: col('u0'), right: int('0') },
    right: { kind: 'binary', op: 'lt', left: col('u0'), right: int(choices.pick(['3', '5', '8'])) },
  } as const;
  const kept = draft.add({ kind: 'filter', input: frontier, predicate: between });
  const next = { kind: 'binary', op: 'add', left: col('u0'), right: int('1') } as const;
  const fields = types.map((_, i) => ({ as: `u${i}`, expr: i === 0 ? next : col(`u${i}`) }));
  const step = draft.add({ kind: 'project', input: kept, fields });
  draft.bindings.set('rec', columns);
  return {
    kind: 'recursive',
    anchor: anchor.id,
    step,
    accumulation: choices.pick(['new', 'all'] as const),
  };
}
