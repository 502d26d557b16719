/** Recursive bindings: position rules, shape, and the naive fixpoint over the frontier (lir.md §8.3). */

import type { Binding, Node, Query } from '#lir';
import type { Frontier, Named, Place } from './context.ts';
import { uniqueNames } from './crossing.ts';
import { edgesOf, refsBeneath } from './graph.ts';
import { bindNode, distinctRows } from './node.ts';
import { failed, invalid, SeveralProblems } from './problem.ts';
import type { Column, Relation, Row } from './relation.ts';
import { rowIdentity, type Value } from './value.ts';

type Recursive = Extract<Binding, { kind: 'recursive' }>;

export function bindRecursive(name: string, binding: Recursive, place: Place): Named {
  const { query, errors } = place.document;
  checkPositions(query, name, binding);
  const anchor = bindNode(binding.anchor, place);
  uniqueNames(anchor, 'binding_output_collision');
  const { step, frontier, order } = bindStep(name, binding, place, anchor);
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
function bindStep(name: string, binding: Recursive, place: Place, anchor: Relation) {
  let columns: readonly Column[] = anchor.columns;
  const labels = new Set(place.document.labels);
  for (;;) {
    place.document.labels.clear();
    for (const label of labels) place.document.labels.add(label);
    const frontier: Frontier = { name, columns, rows: [] };
    const step = bindNode(binding.step, { ...place, frontier });
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

function checkPositions(query: Query, name: string, binding: Recursive): void {
  const early = refsBeneath(query, binding.anchor, 'recursive_ref');
  if (early.some((other) => other !== name)) {
    throw new SeveralProblems([invalid('invalid', 'in the anchor'), invalid('unknown_binding')]);
  }
  if (early.length > 0) throw invalid('invalid', 'in the anchor');
  const used = refsBeneath(query, binding.step, 'recursive_ref');
  if (used.some((other) => other !== name)) throw invalid('unknown_binding');
  if (used.length !== 1) throw invalid('invalid', 'step needs one recursive_ref');
  checkPath(query, binding.step);
}

/** From the step's root down to the frontier, each node must allow it beneath. */
function checkPath(query: Query, id: string): void {
  const node = query.nodes[id] as Node;
  if (node.kind === 'recursive_ref') return;
  const next = edgesOf(query, id).find(
    (edge) => refsBeneath(query, edge, 'recursive_ref').length > 0,
  );
  const isInput = ['input', 'left', 'right'].some(
    (member) => (node as unknown as Record<string, unknown>)[member] === next,
  );
  const isListed = node.kind === 'concatenate' && node.inputs.includes(next as string);
  const isForbidden =
    (!isInput && !isListed) ||
    node.kind === 'aggregate' ||
    node.kind === 'slice' ||
    (node.kind === 'join' && node.join === 'left' && node.right === next) ||
    (node.kind === 'except' && node.right === next);
  if (isForbidden) throw invalid('invalid', `recursive_ref beneath ${node.kind}`);
  checkPath(query, next as string);
}
