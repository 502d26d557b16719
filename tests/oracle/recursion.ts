/** Recursive bindings: position rules, shape, and the naive fixpoint over the frontier (docs/lir.md §9.2). */

import type { Binding, Node, Query } from '#lir';
import type { Frontier, Named, Place } from './context.ts';
import { uniqueNames } from './crossing.ts';
import { edgesOf } from './graph.ts';
import { bindNode, distinctRows } from './node.ts';
import { failed, invalid } from './problem.ts';
import type { Row } from './relation.ts';
import { rowIdentity, type Value } from './value.ts';

type Recursive = Extract<Binding, { kind: 'recursive' }>;

export function bindRecursive(name: string, binding: Recursive, place: Place): Named {
  const { query, errors } = place.document;
  const refused = new Set([
    ...frontiersBeneath(query, binding.anchor),
    ...refusedBeneath(query, binding.step),
  ]);
  const start = { name, columns: [], rows: [], refused, isAnchor: true, uses: 0 };
  const anchor = bindNode(binding.anchor, { ...place, frontier: start });
  uniqueNames(anchor, 'binding_output_collision');
  const { step, frontier, order } = bindStep(binding, place, { ...start, columns: anchor.columns });
  let result: readonly Row[] | undefined;
  const run = (): readonly Row[] => {
    const all: Row[] = [];
    const seen = new Set<string>();
    const admit = (rows: readonly Row[]) =>
      binding.accumulation === 'all'
        ? rows
        : distinctRows(rows, errors).filter(
            (row) => !seen.has(rowIdentity(row)) && seen.add(rowIdentity(row)),
          );
    frontier.rows = admit(anchor.evaluate({}));
    all.push(...frontier.rows);
    for (let iteration = 1; frontier.rows.length > 0; iteration++) {
      if (iteration > 10_000) throw failed('recursion_limit');
      const made = step.evaluate({}).map((row) => order.map((at) => row[at] as Value));
      frontier.rows = admit(made);
      for (const row of frontier.rows) all.push(row);
      if (all.length > 1_000_000) throw failed('recursion_limit');
    }
    return all;
  };
  return {
    columns: frontier.columns,
    rows: () => {
      result ??= errors.attempt(run)?.value ?? [];
      return result;
    },
  };
}

/** Binds the step again with wider nullability until it no longer widens. */
function bindStep(binding: Recursive, place: Place, start: Frontier) {
  let { columns } = start;
  const labels = new Set(place.document.labels);
  for (;;) {
    place.document.labels.clear();
    for (const label of labels) place.document.labels.add(label);
    const frontier: Frontier = { ...start, columns, isAnchor: false, uses: 0 };
    const step = bindNode(binding.step, { ...place, frontier });
    if (frontier.uses === 0) throw invalid('invalid', 'step needs one recursive_ref');
    if (step.columns.length !== columns.length) throw invalid('type_mismatch', 'step columns');
    const order = columns.map((column) => {
      const at = step.columns.findIndex((made) => made.name === column.name);
      if (at < 0 || step.columns[at]?.type !== column.type) throw invalid('type_mismatch', 'step');
      return at;
    });
    const widened = columns.map((column, i) => ({
      ...column,
      nullable: column.nullable || (step.columns[order[i] as number]?.nullable ?? false),
    }));
    if (widened.every((column, i) => column.nullable === columns[i]?.nullable)) {
      return { step, frontier, order };
    }
    columns = widened;
  }
}

function frontiersBeneath(query: Query, id: string): readonly Node[] {
  const node = query.nodes[id] as Node;
  const own = node.kind === 'recursive_ref' ? [node] : [];
  return [...own, ...edgesOf(query, id).flatMap((edge) => frontiersBeneath(query, edge))];
}

/** Each node between the step's root and a frontier must allow it beneath. */
function refusedBeneath(query: Query, id: string): readonly Node[] {
  const node = query.nodes[id] as Node;
  return edgesOf(query, id).flatMap((edge) =>
    isForbidden(node, edge) ? frontiersBeneath(query, edge) : refusedBeneath(query, edge),
  );
}

function isForbidden(node: Node, edge: string): boolean {
  const isInput = ['input', 'left', 'right'].some(
    (member) => (node as unknown as Record<string, unknown>)[member] === edge,
  );
  const isListed = node.kind === 'concatenate' && node.inputs.includes(edge);
  return (
    (!isInput && !isListed) ||
    node.kind === 'aggregate' ||
    node.kind === 'slice' ||
    (node.kind === 'join' && node.join === 'left' && node.right === edge) ||
    (node.kind === 'except' && node.right === edge)
  );
}
