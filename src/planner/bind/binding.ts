/** Binds local bindings: derived bodies, and anchors with their steps (docs/lir.md §9.1, §9.2). */

import type { Steps } from '#base';
import { type Binding, nodeOf } from '#lir';
import type { BoundBinding, BoundOutput, BoundRelation } from './bound.ts';
import { duplicateName } from './columns.ts';
import { type BindContext, quoted } from './context.ts';
import { bindRelation } from './relation.ts';
import { sameType } from './types.ts';

type Recursive = Extract<Binding, { readonly kind: 'recursive' }>;

export function* bindBinding(
  context: BindContext,
  name: string,
  binding: Binding,
): Steps<BoundBinding> {
  if (binding.kind === 'recursive') return yield* bindRecursive(context, name, binding);
  return { kind: 'derived', name, relation: yield* bindBody(context, name, binding.node) };
}

/** Binds a body. The body cannot read columns from outside, and its columns must have unique names. */
function* bindBody(context: BindContext, name: string, id: string): Steps<BoundRelation> {
  const { relation } = yield* bindRelation(context, id, {
    enclosing: undefined,
    frontierRefusal: undefined,
  });
  const repeated = duplicateName(relation.columns);
  if (repeated === undefined) return relation;
  const detail = `duplicate column ${quoted(repeated)} in binding ${quoted(name)}`;
  throw reject(context, name, id, 'binding_output_collision', detail);
}

/** Binds an anchor and its step. The step is bound again for as long as its result makes a column nullable that was bound as not nullable. */
function* bindRecursive(
  context: BindContext,
  name: string,
  binding: Recursive,
): Steps<BoundBinding> {
  const { accumulation } = binding;
  context.recursion = { binding: name, phase: 'anchor', columns: [], uses: 0 };
  const anchor = yield* bindBody(context, name, binding.anchor);
  const labels = context.labels;
  let columns: readonly BoundOutput[] = anchor.columns;
  for (;;) {
    context.labels = new Set(labels);
    const { step, positions } = yield* bindStep(context, name, binding.step, columns);
    const widened = columns.map((column, i) => {
      const nullable = column.nullable || step.columns[positions[i] as number]?.nullable === true;
      return nullable === column.nullable ? column : { ...column, nullable };
    });
    const isStable = widened.every((column, i) => column === columns[i]);
    columns = widened;
    if (!isStable) continue;
    context.recursion = undefined;
    const stepPositions = positions;
    return { kind: 'recursive', name, anchor, step, stepPositions, accumulation, columns };
  }
}

function* bindStep(
  context: BindContext,
  name: string,
  id: string,
  columns: readonly BoundOutput[],
): Steps<{ readonly step: BoundRelation; readonly positions: readonly number[] }> {
  const recursion = { binding: name, phase: 'step', columns, uses: 0 } as const;
  const counted = { ...recursion, uses: 0 };
  context.recursion = counted;
  const { relation: step } = yield* bindRelation(context, id, {
    enclosing: undefined,
    frontierRefusal: undefined,
  });
  if (counted.uses === 0) {
    const detail = `the step of ${quoted(name)} has no recursive_ref to it`;
    throw reject(context, name, id, 'invalid', detail);
  }
  if (step.columns.length !== columns.length) {
    const detail = `the step of ${quoted(name)} must have ${columns.length} columns, got ${step.columns.length}`;
    throw reject(context, name, id, 'type_mismatch', detail);
  }
  const places = new Map(step.columns.map(({ name }, i) => [name, i] as const).toReversed());
  const positions = columns.map((column) => {
    const position = places.get(column.name) ?? -1;
    const found = step.columns[position];
    if (found !== undefined && sameType(found.type, column.type)) return position;
    const problem = found === undefined ? 'is missing' : `changes to ${found.type.kind}`;
    const detail = `column ${quoted(column.name)} ${problem} in the step of ${quoted(name)}`;
    throw reject(context, name, id, 'type_mismatch', detail);
  });
  return { step, positions };
}

function reject(
  context: BindContext,
  binding: string,
  id: string,
  reason: 'binding_output_collision' | 'invalid' | 'type_mismatch',
  detail: string,
): Error {
  return context.reject(nodeOf(context.query, id) ?? {}, reason, detail, { node: id, binding });
}
